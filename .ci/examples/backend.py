"""What people do at the web server: two at a time, each in browsers of her own. And what happens to it meanwhile."""

import contextlib
import json
import os
import subprocess
import time

from browser import Browser

PORT, OTHER_PORT = 8705, 8706
# The variables that the server needs, where it is only asked whether it starts.
VARIABLES = {"COOKIE_KEY": "A" * 43 + "=", "API_URL": "http://127.0.0.1:8703/api/resource", "BACKEND_SECRET": "secret"}
# Name and address of each person, as the page shows them.
PEOPLE = {"ada": "Ada Lovelace, ada@example.com", "grace": "Grace Hopper, grace@example.com"}
# How often something is looked for that comes by itself, once a second.
LONGEST = 300


def visit(path, database, is_fleet):
    """Signs two people in, looks at what each can see, and signs them out."""
    # On a fleet a sign-in begins at one machine, and its callback arrives at another.
    begins_at = OTHER_PORT if is_fleet else PORT
    ports = {PORT, begins_at}
    ada, grace = ada_somewhere(), Browser("grace", "Amazing-Grace-1")
    expect(ada.open(address(begins_at, "/me")), 401, "")
    sign_in(ada, begins_at)
    sign_in(grace, begins_at)
    for port in ports:
        expect(ada.open(address(port, "/me")), 200, "Hello, ada.")
        expect(grace.open(address(port, "/me")), 200, "Hello, grace.")
    # A callback that was begun elsewhere, and a cookie that nobody has sealed.
    stranger = ada_somewhere()
    expect(stranger.open(address(PORT, "/callback?code=code&state=state")), 400, "No sign-in has begun in this browser.")
    expect(stranger.open(address(PORT, "/me"), cookie="session=AAAA"), 401, "")
    stranger.open(address(PORT, "/sign-in/people"))
    expect(stranger.open(address(PORT, "/callback?code=code&state=state")), 400, "Nobody was signed in.")
    sign_out_of_browsers(ada, ports, begins_at)
    for port in ports:
        expect(grace.open(address(port, "/me")), 200, "Hello, grace.")
    if is_fleet:
        lose(database, grace, ports)
    else:
        add_tenant(os.path.join(path, "identity.json"), grace)
    expect(grace.open(address(PORT, "/sign-out"), form=[]), 200, "Sign in with people")


def sign_out_of_browsers(ada, ports, begins_at):
    """Signs out of one browser and of all, and tries copies of their cookies."""
    elsewhere, thief = ada_somewhere(), ada_somewhere()
    sign_in(elsewhere, begins_at)
    first = ada.cookies
    expect(thief.open(address(PORT, "/me"), cookie=first), 200, "Hello, ada.")
    expect(ada.open(address(PORT, "/sign-out"), form=[]), 200, "Sign in with people")
    for port in ports:
        expect(ada.open(address(port, "/me")), 401, "")
        expect(thief.open(address(port, "/me"), cookie=first), 401, "")
        expect(elsewhere.open(address(port, "/me")), 200, "Hello, ada.")
    # The next sign-in revives no cookie of the last one, and such a cookie signs nobody out.
    sign_in(ada, begins_at)
    second = ada.cookies
    for port in ports:
        expect(thief.open(address(port, "/me"), cookie=first), 401, "")
        expect(thief.open(address(port, "/sign-out-everywhere"), form=[], cookie=first), 200, "Sign in with people")
        expect(ada.open(address(port, "/me")), 200, "Hello, ada.")
    expect(elsewhere.open(address(PORT, "/sign-out-everywhere"), form=[]), 200, "Sign in with people")
    sign_in(elsewhere, begins_at)
    for port in ports:
        expect(ada.open(address(port, "/me")), 401, "")
        for copied in (first, second):
            expect(thief.open(address(port, "/me"), cookie=copied), 401, "")
        expect(elsewhere.open(address(port, "/me")), 200, "Hello, ada.")
    # The last browser takes the tokens along.
    expect(elsewhere.open(address(PORT, "/sign-out"), form=[]), 200, "Sign in with people")
    for port in ports:
        expect(elsewhere.open(address(port, "/me")), 401, "")


def lose(database, person, ports):
    """Takes the database away and gives it back: meanwhile nobody is told more than to try again, and nobody is signed out."""
    database.stop()
    try:
        for port in ports:
            for page in ("/", "/me"):
                seen = person.open(address(port, page))
                expect(seen, 503, "Try again later.")
                for detail in (database.folder, "store", "database", "postgres", "socket"):
                    if detail.lower() in seen[2].lower():
                        raise AssertionError(f"{page} tells a browser of “{detail}”:\n{seen[2]}")
            expect(person.open(address(port, "/sign-out"), form=[]), 503, "Try again later.")
    finally:
        database.start()
    for port in ports:
        wait_for(lambda: person.open(address(port, "/me")), 200, "Hello, grace.")


def add_tenant(path, person):
    """Adds a provider that tells no names to the server's file, and signs in with it while the server runs."""
    def add(document):
        people = document["providers"][0]
        settings = people["settings"] | {"scopes": ["openid"]}
        document["providers"].append(people | {"name": "tenant", "settings": settings})

    with edited(path, add):
        newcomer = ada_somewhere()
        wait_for(lambda: newcomer.open(address(PORT, "/")), 200, "Sign in with tenant")
        # Rather nothing than an identifier.
        expect(newcomer.sign_in(address(PORT, "/sign-in/tenant")), 200, "<p>Signed in</p>")
        expect(newcomer.open(address(PORT, "/me")), 200, "Hello, ada.")
        expect(person.open(address(PORT, "/me")), 200, "Hello, grace.")
    # Whose provider is gone is signed out.
    wait_for(lambda: newcomer.open(address(PORT, "/me")), 401, "")


def refuse(path, environment):
    """Starts the server with a misspelt setting."""
    file = os.path.join(path, "identity.json")
    with edited(file, lambda document: document["providers"][0]["settings"].update(bindTokens=True)):
        done = subprocess.run(
            ["swift", "run", "--skip-build", "backend", "identity.json"], cwd=path, env=environment | VARIABLES,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LONGEST)
    if done.returncode != 1 or "bindTokens" not in done.stdout:
        raise AssertionError(f"A misspelt setting is not refused ({done.returncode}):\n{done.stdout}")


@contextlib.contextmanager
def edited(path, change):
    """A configuration with a change, which is taken back at the end."""
    with open(path, encoding="utf-8") as file:
        former = file.read()
    document = json.loads(former)
    change(document)
    try:
        replace(path, json.dumps(document))
        yield
    finally:
        replace(path, former)


def replace(path, text):
    """Replaces a file as a whole: the server may read it at any moment."""
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(f"{path}.new", path)


def ada_somewhere():
    return Browser("ada", "Enchantress-1")


def sign_in(browser, port):
    seen = browser.sign_in(address(port, "/sign-in/people"))
    expect(seen, 200, f"<p>Signed in as {PEOPLE[browser.answers['username']]}</p>")
    for button in ("/sign-out", "/sign-out-everywhere"):
        expect(seen, 200, f'<form method="post" action="{button}">')


def address(port, path):
    return f"http://127.0.0.1:{port}{path}"


def expect(visited, status, text):
    seen, here, page = visited
    if seen != status or text not in page:
        raise AssertionError(f"{here} is expected to answer {status} with “{text}”. It answers {seen}:\n{page}")


def wait_for(visit, status, text):
    """Visits once a second until the answer is the expected one."""
    for _ in range(LONGEST):
        seen, _, page = visited = visit()
        if seen == status and text in page:
            return
        time.sleep(1)
    expect(visited, status, text)
