"""`gridlab doctor`."""

from gridlab.cli.options import Json, print_result


def doctor(json: Json = False) -> int:
    """How this installation stands: versions, extras, compiled kernels, the machine, the files that come along.

    A missing extra is told with the command that installs it. A report of a bug can begin with this. The exit code is 1
    if something is wrong.
    """
    from gridlab.tour.doctor import check_up

    found = check_up()
    print_result(found, json)
    return 0 if found.sound else 1
