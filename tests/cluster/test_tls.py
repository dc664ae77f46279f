"""A cluster that only those with a certificate can join or use."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cluster.processes import DaskCluster
from tests.conftest import Run

pytestmark = [pytest.mark.compiled, pytest.mark.long]


def test_certificates(gridlab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make certificates with")
    subprocess.run(
        shlex.split("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=lab -keyout key.pem -out cert.pem"),
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    variables = {"DASK_DISTRIBUTED__COMM__TLS__CA_FILE": str(tmp_path / "cert.pem")}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        variables[f"DASK_DISTRIBUTED__COMM__TLS__{role}__CERT"] = str(tmp_path / "cert.pem")
        variables[f"DASK_DISTRIBUTED__COMM__TLS__{role}__KEY"] = str(tmp_path / "key.pem")
    cluster = DaskCluster(tmp_path, scheme="tls", DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION="True", **variables)
    try:
        cluster.start(workers=1)
        assert cluster.address.startswith("tls://")
        import dask.config

        with dask.config.set(dask.config.collect(paths=[], env=variables)):
            code, out, err = gridlab("cluster", cluster.address)
        assert code == 0, err
        assert out.splitlines()[-1].endswith("the same as here")
        monkeypatch.setattr("gridlab.core.cluster.CONNECTING", 2.0)
        code, _, err = gridlab("cluster", cluster.address)
        assert code == 2
        assert err.startswith("error: no scheduler of a cluster answers")
    finally:
        cluster.close()
