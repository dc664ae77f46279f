"""A cluster that only those with a certificate can join or use."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster.processes import DaskCluster

pytestmark = [pytest.mark.compiled, pytest.mark.long]


def test_certificates(tmp_path: Path) -> None:
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
        command = [sys.executable, "-m", "gridlab", "cluster", cluster.address]
        done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1].endswith("the same as here")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith(f"error: {cluster.address} needs certificates")
    finally:
        cluster.close()
