"""Proves the checks: a client that does all as it should passes every scenario, and one that does one thing wrong fails
exactly the checks that are about it."""

import sys

from . import drafts, extensions  # noqa: F401
from .catalogue import SCENARIOS
from .tiny_client import GivesUp, TinyClient

PKCE = {
    "pkce-code-challenge-sent", "pkce-s256-method-used", "pkce-code-verifier-sent", "pkce-verifier-matches-challenge",
}
REUSE = {
    "sep-2352-reregister-on-as-change", "sep-2352-no-reuse-on-as-change", "sep-2352-no-cross-as-credential-reuse",
}
NONE_GIVEN = {"authorization-server-metadata", "client-registration", "authorization-request", "token-request"}
RESOURCE = {"resource-parameter-in-authorization", "resource-parameter-in-token"}
BOUND = {
    f"sep-1932-client-{name}" for name in ("token-request-proof", "dpop-jkt", "dpop-auth-scheme", "fresh-proof")
}
NONCES = {"sep-1932-client-as-nonce", "sep-1932-client-rs-nonce"}

# What is done wrong in which scenario, and which checks notice it.
MISTAKES = [
    ("metadata-default", "gives-up", NONE_GIVEN | RESOURCE | {"prm-pathbased-requested"}),
    ("metadata-default", "root-first", {"prm-priority-order"}),
    ("metadata-default", "no-pkce", PKCE),
    ("metadata-default", "plain-pkce", {"pkce-s256-method-used", "pkce-verifier-matches-challenge"}),
    ("metadata-default", "no-application-type", {"sep-837-application-type-present"}),
    ("metadata-default", "old-life-cycle", {"stateless-request-rejected"}),
    ("metadata-default", "another-token", {"invalid-bearer-token"}),
    ("metadata-var1", "no-resource", RESOURCE),
    ("metadata-var2", "slash-after-resource", {"resource-parameter-matches-prm"}),
    ("metadata-var2", "issuer-without-path", {"authorization-server-metadata-wrong-path"}),
    ("metadata-var3", "gives-up", NONE_GIVEN | RESOURCE),
    ("2025-03-26-oauth-metadata-backcompat", "gives-up", NONE_GIVEN),
    ("2025-03-26-oauth-endpoint-fallback", "gives-up", NONE_GIVEN - {"authorization-server-metadata"}),
    ("basic-cimd", "no-document", {"cimd-client-id-used"}),
    ("pre-registration", "another-client", {"pre-registration-auth"}),
    ("token-endpoint-auth-basic", "another-method", {"token-endpoint-auth-method"}),
    ("token-endpoint-auth-post", "another-method", {"token-endpoint-auth-method"}),
    ("token-endpoint-auth-none", "another-method", {"token-endpoint-auth-method"}),
    ("token-endpoint-auth-none", "fragment", {"resource-parameter-valid-uri", "resource-parameter-matches-prm"}),
    ("token-endpoint-auth-none", "two-resources", {"resource-parameter-consistency", "resource-parameter-matches-prm"}),
    ("scope-from-www-authenticate", "own-scopes", {"scope-from-www-authenticate"}),
    ("scope-from-scopes-supported", "own-scopes", {"scope-from-scopes-supported"}),
    ("scope-omitted-when-undefined", "own-scopes", {"scope-omitted-when-undefined"}),
    ("scope-step-up", "no-step-up", {"scope-step-up-escalation", "sep-2350-scope-union-on-reauth"}),
    ("scope-step-up", "forgets-scopes", {"sep-2350-scope-union-on-reauth"}),
    ("scope-retry-limit", "no-limit", {"scope-retry-limit"}),
    ("resource-mismatch", "any-resource", {"resource-mismatch-rejected"}),
    ("resource-mismatch", "gives-up", {"resource-mismatch-rejected"}),
    ("offline-access-scope", "no-refresh", {"sep-2207-client-metadata-grant-types"}),
    ("offline-access-not-supported", "always-offline", {"sep-2207-offline-access-not-requested"}),
    ("authorization-server-migration", "one-client", REUSE),
    ("authorization-server-migration", "no-step-up", REUSE),
    ("iss-supported", "gives-up", {"sep-2468-client-compare-iss-supported"}),
    ("iss-not-advertised", "wants-issuer", {"sep-2468-client-proceed-no-iss"}),
    ("iss-supported-missing", "any-issuer", {"sep-2468-client-reject-missing-iss"}),
    ("iss-wrong-issuer", "any-issuer", {"sep-2468-client-compare-iss-supported"}),
    ("iss-unexpected", "any-issuer", {"sep-2468-client-compare-iss-unadvertised"}),
    ("iss-normalized", "any-slash", {"sep-2468-client-no-normalization"}),
    ("metadata-issuer-mismatch", "any-metadata", {"sep-2468-client-validate-metadata-issuer"}),
    ("client-credentials-jwt", "another-client", {"client-credentials-jwt-verified"}),
    ("client-credentials-jwt", "endpoint-as-audience", {"client-credentials-jwt-verified"}),
    ("client-credentials-basic", "another-client", {"client-credentials-basic-auth"}),
    ("client-credentials-basic", "another-grant", {"client-credentials-grant-type", "client-credentials-basic-auth"}),
    ("wif-jwt-bearer", "another-grant", {"wif-grant-type"}),
    ("wif-jwt-bearer", "tries-again", {"wif-no-retry"}),
    ("wif-jwt-bearer", "falls-back", {"wif-grant-fallback"}),
    ("wif-jwt-bearer", "no-assertion", {"wif-assertion-missing"}),
    ("wif-jwt-bearer", "expired", {"wif-assertion-expired"}),
    ("wif-jwt-bearer", "wrong-audience", {"wif-assertion-audience"}),
    ("wif-jwt-bearer", "gives-up", {"wif-assertion-verified"}),
    ("enterprise-managed-authorization", "no-audience", {"complete-flow-token-exchange", "complete-flow-jwt-bearer"}),
    ("enterprise-managed-authorization", "another-client", {"complete-flow-jwt-bearer"}),
    ("dpop", "bearer", {"sep-1932-client-dpop-auth-scheme"}),
    ("dpop", "one-proof", {"sep-1932-client-fresh-proof"}),
    ("dpop", "unbound", BOUND - {"sep-1932-client-dpop-auth-scheme"}),
    ("dpop", "no-thumbprint", {"sep-1932-client-dpop-jkt"}),
    ("dpop", "another-key", BOUND - {"sep-1932-client-token-request-proof"}),
    ("dpop-nonce", "no-nonce", (BOUND | NONCES) - {"sep-1932-client-token-request-proof", "sep-1932-client-dpop-jkt"}),
    ("dpop-nonce", "gives-up", BOUND | NONCES),
]


def play(scenario, version, mistake=None):
    """The checks that did not pass, and how many did."""
    playing = scenario.play(version)
    try:
        TinyClient(playing.address, playing.context, version, mistake).play()
        has_failed = False
    except GivesUp:
        has_failed = True
    entries = [entry for entry in playing.report() if entry["status"] != "INFO"]
    playing.close()
    if not mistake and has_failed and not scenario.may_fail:
        raise SystemExit(f"{scenario.name} ({version}): the client gave up\n{entries}")
    return {entry["id"] for entry in entries if entry["status"] != "SUCCESS"}, len(entries)


def run():
    wrong = []
    for scenario in SCENARIOS.values():
        for version in scenario.versions:
            failed, count = play(scenario, version)
            if failed or not count:
                wrong.append(f"{scenario.name} ({version}) fails a client that does all as it should: {failed}")
    for name, mistake, expected in MISTAKES:
        scenario = SCENARIOS["auth/" + name]
        failed, _ = play(scenario, scenario.versions[-1], mistake)
        if failed != expected:
            wrong.append(f"{scenario.name}, {mistake}: {sorted(failed)} instead of {sorted(expected)}")
    unproven = set(SCENARIOS) - {"auth/" + name for name, _, _ in MISTAKES}
    wrong += [f"{name}: no mistake is tried" for name in sorted(unproven)]
    print(*wrong, f"{len(SCENARIOS)} scenarios, {len(MISTAKES)} mistakes, {len(wrong)} wrong", sep="\n")
    sys.exit(bool(wrong))
