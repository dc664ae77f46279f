"""Addresses that somebody types: a page of the lab, or a page that says there is none."""

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from gridlab.web.work import HEADERS
from tests.web.conftest import Server

pytestmark = pytest.mark.compiled


def test_the_name_of_a_page_leads_to_it(page: Page) -> None:
    page.goto("/data?file=wins")
    expect(page).to_have_url(re.compile(r"/#/data\?file=wins$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Data")
    expect(page.get_by_test_id("gallery")).to_be_visible()


def test_a_page_that_is_not_there_is_said_in_words(page: Page) -> None:
    answer = page.goto("/nothing/here")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such page")
    page.get_by_role("link", name="To the start").click()
    expect(page.locator(".cell").first).to_be_visible()


@pytest.mark.parametrize(
    ("address", "status", "kind"),
    [
        ("/arena", 307, ""),
        ("/arena/", 307, ""),
        ("/nothing", 404, "text/html"),
        ("/arena/more", 404, "text/html"),
        ("/js/nothing.js", 404, "application/json"),
        ("/api/v1/nothing", 404, "application/json"),
        ("/api", 404, "application/json"),
        ("/", 200, "text/html"),
    ],
)
def test_every_answer_has_its_kind_and_its_headers(server: Server, address: str, status: int, kind: str) -> None:
    answer = httpx.get(server.address + address)
    assert answer.status_code == status
    assert answer.headers.get("content-type", "").startswith(kind)
    assert HEADERS.items() <= dict(answer.headers).items()


def test_an_address_redirects_only_to_this_server(server: Server) -> None:
    answer = httpx.get(f"{server.address}/data?file=//elsewhere.org/%0d%0aX: y")
    assert answer.headers["location"].startswith("/#/data?")
    assert "x" not in answer.headers
