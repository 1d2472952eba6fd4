from tests.browser.chromium import chromium

__all__ = ["chromium"]
