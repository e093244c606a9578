"""`identity token --format kubectl` with kubectl, a server like that of a cluster, and kubeconfigs that lead elsewhere."""

import base64
import json

from world import CLIENT, promise, require

GROUP = "client.authentication.k8s.io"
NAMESPACES = {
    "kind": "NamespaceList", "apiVersion": "v1", "metadata": {},
    "items": [{"metadata": {"name": "notes"}, "status": {"phase": "Active"}}],
}
ANSWERS = {
    "/version": {"major": "1", "minor": "37", "gitVersion": "v1.37.0"},
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
        {"name": "namespaces", "singularName": "namespace", "namespaced": False, "kind": "Namespace", "verbs": ["list"]}]},
    "/api/v1/namespaces": NAMESPACES,
}


def run(world):
    for kubectl, versions in world.programs.kubectls.items():
        for version in versions:
            Kubectl(world, kubectl, version).run()


class Kubectl:
    def __init__(self, world, kubectl, version):
        self.world, self.kubectl, self.version = world, kubectl, version
        self.cluster, self.stranger = world.cluster, world.stranger
        self.cluster.answer = self.answer
        with open(world.path("authority.pem"), "rb") as file:
            self.authority = base64.b64encode(file.read()).decode()
        told = json.loads(world.run(kubectl, "version", "--client", "--output", "json").stdout)
        self.name = f"kubectl {told['clientVersion']['gitVersion']}, {version}"

    def answer(self, request):
        found = ANSWERS.get(request.path.partition("?")[0])
        request.json(found or {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404}, 200 if found else 404)

    def get(self, *, server=None, options=(), cluster=None, plugin=None):
        """Lists the namespaces by a kubeconfig with these differences."""
        server = server or self.cluster.url
        authority = {"certificate-authority-data": self.authority} if server.startswith("https") else {}
        path = self.world.write("kubeconfig", {
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": server} | authority | (cluster or {})}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "ada"}}],
            "users": [{"name": "ada", "user": {"exec": {
                "apiVersion": f"{GROUP}/{self.version}", "command": "identity",
                "args": ["token", "--format", "kubectl", *options], "interactiveMode": "Never",
                "provideClusterInfo": True} | (plugin or {})}}],
        })
        return self.world.run(
            self.kubectl, "--kubeconfig", path, "--cache-dir", self.world.path("cache"), "--request-timeout", "20s",
            "get", "namespaces", "--output", "name")

    def lists(self, title, done):
        promise(f"{self.name}: {title}", done.returncode == 0 and done.stdout == "namespace/notes\n", done)

    def gets_nothing(self, title, done, reason):
        """Neither server has seen a token, and the person learns why."""
        credentials = self.stranger.take()[1] + self.world.plain.take()[1]
        # A name and a password of the address itself are its own.
        credentials = [header for header in credentials if not header.startswith("Basic ")]
        shown = [secret for _, secret in self.cluster.seen if secret]
        promise(f"{self.name}: {title}", done.returncode != 0 and not credentials and not shown and reason in done.stderr,
                done, credentials, shown)

    def run(self):
        self.lists("a cluster that the configuration names gets a token", self.get())
        require(any(secret for _, secret in self.cluster.seen), "The cluster has seen a token.")
        self.cluster.seen.clear()
        self.lists("a cluster that takes ID tokens gets one for its audience", self.get(options=["--id-token", CLIENT]))
        require(all(secret.count(".") == 2 for _, secret in self.cluster.seen if secret), "It sees ID tokens alone.")
        self.lists("after a token that the cluster refuses, --fresh gives another one", self.after_refusal())
        self.cluster.seen.clear()
        self.hostile()

    def after_refusal(self):
        self.world.revoke(self.world.token("cluster"))
        first = self.get()
        require(first.returncode != 0, "The cluster refuses a token that was revoked.", first)
        self.world.token("cluster", "--fresh")
        return self.get()

    def hostile(self):
        stranger, port = self.stranger.url, self.cluster.port
        for title, reason, differences in [
            ("another server gets no token", "No provider", {"server": stranger}),
            # Without TLS, kubectl asks for no token.
            ("a server over http gets no token", "provide credentials", {"server": self.world.plain.url}),
            ("a name in front of another server gets no token", "", {
                "server": f"https://127.0.0.1:{port}@127.0.0.1:{self.stranger.port}"}),
            ("another name of the machine gets no token", "No provider", {"server": f"https://localhost:{port}"}),
            ("without information about the cluster there is no token", "provideClusterInfo", {
                "plugin": {"provideClusterInfo": False}}),
            ("another server gets no token for what the kubeconfig says in the cluster's place", "No provider", {
                "server": stranger, "plugin": {"env": [self.pretence()]}}),
            ("what the kubeconfig says in the cluster's place is not read", "provideClusterInfo", {
                "server": stranger, "plugin": {"env": [self.pretence()], "provideClusterInfo": False}}),
            ("a proxy gets no token", "proxy-url", {"cluster": {"proxy-url": self.world.plain.url}}),
            ("another name for the certificate gets no token", "tls-server-name", {
                "cluster": {"tls-server-name": "localhost"}}),
            ("a server without a trusted certificate gets no token", "insecure-skip-tls-verify", {
                "cluster": {"insecure-skip-tls-verify": True, "certificate-authority-data": ""}}),
        ]:
            self.gets_nothing(title, self.get(**differences), reason)
        done = self.get(options=["--id-token", "another"])
        self.gets_nothing("an ID token for another audience is not given", done, "another")

    def pretence(self):
        """A variable by which a kubeconfig names the server of somebody else."""
        return {"name": "KUBERNETES_EXEC_INFO", "value": json.dumps({
            "apiVersion": f"{GROUP}/{self.version}", "kind": "ExecCredential",
            "spec": {"interactive": False, "cluster": {"server": self.cluster.url}}})}
