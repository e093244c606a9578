"""What people do at the web server: two at a time, each in a browser of her own."""

from browser import Browser

PORT, OTHER_PORT = 8705, 8706


def visit(is_fleet):
    """Signs two people in, looks at what each can see, and signs one out."""
    # On a fleet a sign-in begins at one machine, and its callback arrives at another.
    begins_at = OTHER_PORT if is_fleet else PORT
    ada, grace = Browser("ada", "Enchantress-1"), Browser("grace", "Amazing-Grace-1")
    expect(ada.open(address(begins_at, "/me")), 401, "")
    for person, name in ((ada, "Ada Lovelace"), (grace, "Grace Hopper")):
        expect(person.sign_in(address(begins_at, "/sign-in/people")), 200, f"Signed in as {name}")
    for port in {PORT, begins_at}:
        expect(ada.open(address(port, "/me")), 200, "Hello, ada.")
        expect(grace.open(address(port, "/me")), 200, "Hello, grace.")
    # A callback that was begun elsewhere, and a cookie that nobody has sealed.
    stranger = Browser("ada", "Enchantress-1")
    expect(stranger.open(address(PORT, "/callback?code=code&state=state")), 400, "No sign-in has begun in this browser.")
    expect(stranger.open(address(PORT, "/me"), cookie="account=AAAA"), 401, "")
    expect(ada.open(address(PORT, "/sign-out"), form=[]), 200, "Sign in with people")
    for port in {PORT, begins_at}:
        expect(ada.open(address(port, "/me")), 401, "")
        expect(grace.open(address(port, "/me")), 200, "Hello, grace.")


def address(port, path):
    return f"http://127.0.0.1:{port}{path}"


def expect(visited, status, text):
    seen, here, page = visited
    if seen != status or text not in page:
        raise AssertionError(f"{here} is expected to answer {status} with “{text}”. It answers {seen}:\n{page}")
