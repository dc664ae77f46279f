"""What listens at an address, heard before Dask believes it.

A scheduler greets whoever connects: the length of a message in eight bytes, then the message, in which it names its
protocol. Dask sets memory aside for whatever length it is told; so a stranger's first bytes, an SSH banner for example,
are a length of exabytes. Here nothing is believed but a short greeting of the right kind.
"""

import socket
import ssl
import struct
import time

from gridlab.core.errors import ClusterTrouble

LONGEST = 1 << 16  # bytes of a greeting; some 100 are usual
SIGN = b"pickle-protocol"  # a key that is in every greeting
AGAIN = 0.2  # seconds until a port that was closed is tried again: a scheduler may be starting
HELP = "gridlab cluster says how to start one"


def require_scheduler(address: str, seconds: float, security: ssl.SSLContext | None) -> None:
    """ClusterTrouble that says what is wrong, unless the scheduler of a cluster listens at an address."""
    end = time.monotonic() + seconds
    try:
        with _connected(address, end) as plain:
            if security is None:
                _require_greeting(plain, address, end)
            else:
                with security.wrap_socket(plain) as secured:
                    _require_greeting(secured, address, end)
    except TimeoutError as error:
        raise ClusterTrouble(
            f"something listens at {address}, but does not greet as the scheduler of a cluster does: look at the port, "
            "and whether it begins with tcp:// or tls://"
        ) from error
    except ssl.SSLError as error:
        raise ClusterTrouble(
            f"what answers at {address} does not speak TLS as we do ({error.reason}); {HELP}"
        ) from error
    except OSError as error:
        raise _nobody(address, error) from error


def _connected(address: str, end: float) -> socket.socket:
    """A connection to an address; whoever refuses it is asked again for a while."""
    host, _, port = address.partition("://")[2].rpartition(":")
    while True:
        try:
            return socket.create_connection((host.strip("[]"), int(port)), timeout=_left(end))
        except TimeoutError as error:
            raise _nobody(address, error) from error
        except ConnectionRefusedError:
            if _left(end) <= AGAIN:
                raise
            time.sleep(AGAIN)


def _require_greeting(connection: socket.socket, address: str, end: float) -> None:
    first = _read(connection, 8, end)
    length = struct.unpack("Q", first)[0] if len(first) == 8 else 0
    if 0 < length <= LONGEST and SIGN in (first := _read(connection, length, end)):
        return
    if not first:
        raise ClusterTrouble(
            f"what listens at {address} hangs up at once: it is not the scheduler of a cluster; {HELP}"
        )
    shown = first[:8].decode("ascii", "replace")
    raise ClusterTrouble(
        f"what answers at {address} is not the scheduler of a cluster: it begins with {shown!r}; look at the port"
    )


def _read(connection: socket.socket, length: int, end: float) -> bytes:
    """So many bytes, or those up to the end."""
    read = b""
    while len(read) < length:
        connection.settimeout(_left(end))
        if not (part := connection.recv(length - len(read))):
            break
        read += part
    return read


def _left(end: float) -> float:
    return max(0.001, end - time.monotonic())


def _nobody(address: str, error: OSError) -> ClusterTrouble:
    reason = "it does not answer" if isinstance(error, TimeoutError) else (error.strerror or str(error)).lower()
    return ClusterTrouble(f"no scheduler of a cluster answers at {address} ({reason}); {HELP}")
