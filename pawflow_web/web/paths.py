"""Places of our own."""

from django.utils.http import url_has_allowed_host_and_scheme


def own_path(url: str) -> str:
    """``url`` when it is a path of this server, else nothing: nobody is sent elsewhere by a parameter."""
    fits = url.startswith("/") and url_has_allowed_host_and_scheme(url, allowed_hosts=None)
    return url if fits else ""
