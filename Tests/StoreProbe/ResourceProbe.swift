import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityTesting

/// Signs in at a local OpenID Connect server, or asks for tokens for three resources, as one process among several.
struct ResourceProbe {
    let arguments: Arguments

    static let resources = (1...3).map { "https://api\($0).example.com" }

    func run() async throws {
        let configuration = try IdentityConfiguration(
            parsing: Data(arguments.text("providers").utf8), variables: [:])
        let login = ScriptedLogin(
            username: try arguments.text("username"), password: Secret(try arguments.text("password")))
        let environment = IdentityEnvironment(
            store: try arguments.store(), webAuthenticator: ScriptedBrowser { try await login.signIn(at: $0) })
        let client = try IdentityClient(
            configuration: configuration, registry: ProviderRegistry([OpenIDConnectPlugin.self]),
            environment: environment)
        guard try arguments.text("do") == "resource-tokens" else {
            try await client.signIn()
            return say("signed in")
        }
        await withTaskGroup(of: String.self) { group in
            for number in 0..<(arguments.number("tasks", 1) * 3) {
                let resource = Self.resources[number % 3]
                group.addTask {
                    do {
                        return "token \(resource) \(try await client.accessToken(resource: resource))"
                    } catch {
                        return "failed \((error as? any IdentityFailure)?.failureCode ?? "\(error)")"
                    }
                }
            }
            for await line in group { say(line) }
        }
    }
}
