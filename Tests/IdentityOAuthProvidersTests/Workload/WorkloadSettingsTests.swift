import Foundation
import IdentityKit
import IdentityOAuthProviders
import IdentityOAuth
import Testing

@Suite struct WorkloadSettingsTests {
    private static let server: [String: JSONValue] = ["issuer": "https://id.example.com"]

    @Test(
        "Each grant needs little",
        arguments: [
            ["issuer": "https://id.example.com", "clientID": "service", "clientSecret": "s"],
            ["issuer": "https://id.example.com", "grant": "token-exchange", "token": ["variable": "ID_TOKEN"]],
            ["issuer": "https://id.example.com", "grant": "jwt-bearer", "token": ["gitHubActions": [:]]],
            [
                "issuer": "https://id.example.com", "clientID": "service", "grant": "client_credentials",
                "token": ["file": "/var/run/secrets/tokens/token"],
            ],
            ["token": ["file": "/var/run/secrets/kubernetes.io/serviceaccount/token"], "account": "notes"],
        ] as [[String: JSONValue]])
    func accepted(settings: [String: JSONValue]) throws {
        #expect(try WorkloadFixture.chain(.object(settings)).realms == ["machine"])
    }

    @Test(
        "What is wrong is named with its key path",
        arguments: [
            ([:], "issuer"), (["grant": "jwt-bearer", "token": ["variable": "T"]], "issuer"),
            (["issuer": "http://id.example.com", "clientID": "a", "clientSecret": "s"], "issuer"),
            (server, "clientID"), (server.merging(["clientID": "a"]) { $1 }, "clientSecret"),
            (server.merging(["grant": "password"]) { $1 }, "grant"),
            (server.merging(["grant": "token-exchange"]) { $1 }, "token"),
            (server.merging(["grant": "jwt-bearer", "clientID": "a", "clientSecret": "s"]) { $1 }, "clientKey"),
            (server.merging(["token": ["variable": "T"]]) { $1 }, "grant"),
            (
                server.merging([
                    "grant": "client_credentials", "clientID": "a", "clientSecret": "s", "token": ["variable": "T"],
                ]) { $1 }, "token"
            ),
            (["token": [:]], "token"), (["token": ["variable": ""]], "token.variable"),
            (["token": ["file": "/a", "variable": "T"]], "token"),
            (["token": ["fil": "/a"]], "token"),
            (
                server.merging(["clientID": "a", "clientSecret": "s", "resources": ["/relative"]]) { $1 },
                "resources"
            ),
            (
                server.merging(["clientID": "a", "clientSecret": "s", "tokenParameters": ["scope": "a"]]) { $1 },
                "tokenParameters"
            ),
            (
                server.merging([
                    "clientID": "a", "clientSecret": "s", "endpoints": ["token_endpoint": "http://id.example.com/t"],
                ]) { $1 }, "endpoints.token_endpoint"
            ),
        ] as [([String: JSONValue], String)])
    func mistakes(settings: [String: JSONValue], keyPath: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try WorkloadFixture.chain(.object(settings))
        }
        #expect(error?.message.hasPrefix("providers[0].settings.\(keyPath)") == true, "\(error?.message ?? "")")
    }
}
