"""A view gives a page, or the part that htmx asked for."""

import pytest
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils.safestring import SafeString
from django_htmx.middleware import HtmxDetails

from pawflow_web.styleguide import styleguide
from pawflow_web.web.panels import Count, PanelRegistry
from pawflow_web.web.render import render_panel, shell_news, toast
from pawflow_web.web.ways_back import WayBack


def get(**headers: str) -> HttpRequest:
    request = RequestFactory().get("/styleguide/", headers={name.replace("_", "-"): v for name, v in headers.items()})
    request.user = None  # type: ignore[assignment]  # nobody is signed in
    request.htmx = HtmxDetails(request)  # type: ignore[attr-defined]  # as its middleware does
    return request


def test_htmx_gets_the_part_and_a_browser_the_page() -> None:
    whole = styleguide(get()).content.decode()
    part = styleguide(get(HX_Request="true")).content.decode()
    assert whole.startswith("<!doctype html>")
    assert part.lstrip().startswith('<section class="panel stack" id="panel-styleguide">')
    assert "<nav" not in part


def test_a_restored_history_entry_gets_the_page() -> None:
    restored = styleguide(get(HX_Request="true", HX_History_Restore_Request="true")).content.decode()
    assert restored.startswith("<!doctype html>")


def test_the_two_forms_are_never_confused_by_a_cache() -> None:
    response = styleguide(get())
    assert {"HX-Request", "HX-History-Restore-Request"} <= set(response["Vary"].split(", "))
    assert response["Cache-Control"] == "private, no-cache"


def test_a_panel_is_headed_second_in_the_drawer() -> None:
    assert "<h1>Styleguide</h1>" in styleguide(get(HX_Request="true")).content.decode()
    drawer = styleguide(get(HX_Request="true", HX_Target="drawer-body")).content.decode()
    assert "<h2>Styleguide</h2>" in drawer
    assert "<h1>" not in drawer


def test_parts_beside_the_main_one_come_with_a_partial_only() -> None:
    note = SafeString("<i>beside</i>")

    def answer(request: HttpRequest) -> str:
        return render_panel(request, "web/menu.html", {}, partial=None, out_of_band=(note,)).content.decode()

    assert "beside" not in answer(get())


def test_more_than_three_parts_are_refused() -> None:
    with pytest.raises(ValueError, match="4 out-of-band parts"):
        render_panel(get(), "web/menu.html", {}, out_of_band=(SafeString(""),) * 4)


def test_a_toast_escapes_what_it_says_and_offers_the_way_back() -> None:
    way = WayBack("/items/7/undo", "Rejected #7", {"revision": "2"}, "reject", 0)
    html = toast(get(), "Rejected <b>x</b>.", way_back=way)
    assert 'hx-swap-oob="beforeend"' in html
    assert "Rejected &lt;b&gt;x&lt;/b&gt;." in html
    assert 'action="/items/7/undo"' in html
    assert '<input type="hidden" name="revision" value="2">' in html
    assert "<form" not in toast(get(), "Saved.")


def test_a_count_is_replaced_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = PanelRegistry("panel")
    registry.add("review", make_panel("review", lambda request: Count(1204, "waiting", due=True)))
    monkeypatch.setattr("pawflow_web.web.context.registry", registry)
    registry.add("quiet", make_panel("quiet", lambda request: None))
    html = shell_news(get())
    assert html.count("hx-swap-oob") == 1
    shown, hidden = html.split('data-nav-count="')[1:]
    assert shown.startswith('review"')
    assert "1,204" in shown
    assert hidden.startswith('quiet"')
    assert "hidden" in hidden


def make_panel(name: str, count: object) -> object:
    from pawflow_web.web.panels import Panel

    return Panel(
        name=name,
        title=name,
        group="",
        icon="home",
        url=f"/{name}",
        order=1,
        count=count,  # type: ignore[arg-type]
    )


def test_who_is_not_signed_in_is_sent_to_sign_in_and_back(web: Client) -> None:
    response = web.get("/page/for_people?x=1")
    assert response.status_code == 302
    assert response["Location"] == "/login?next=/page/for_people%3Fx%3D1"


def test_htmx_is_told_to_go_to_sign_in(web: Client) -> None:
    here = {"HX-Request": "true", "HX-Current-URL": "http://evil.example//other/review?x=1"}
    response = web.get("/page/for_people", headers=here)
    assert response.status_code == 401
    assert response["HX-Redirect"] == "/login?next=%2Fother%2Freview%3Fx%3D1"
