"""`gridlab doctor`."""

from gridlab.cli.options import Json, print_result


def doctor(json: Json = False) -> int:
    """Check this installation: versions, extras, compiled kernels, the machine, the files of the package.

    For a missing extra the command that installs it is shown. Start a bug report with this output. The exit code is 1
    if something is wrong.
    """
    from gridlab.tour.doctor import check_up

    found = check_up()
    print_result(found, json)
    return 0 if found.sound else 1
