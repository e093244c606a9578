import ArgumentParser
import IdentityKit
import IdentityStoreFormat

/// `identity token`: prints a valid access token for scripts, in one of the forms of ``TokenFormat``.
struct TokenCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { TokenResult.self }

    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a current access token.",
        discussion: """
            A valid token comes from the store without a request. An expired one is refreshed, once for all processes. \
            For a program that cannot ask again, --min-life also refreshes one that ends sooner than that; a server may give \
            less. With either option, a refresh that fails is an error.

            A token that is bound to a key (DPoP) is printed with its own scheme and a note on standard error: it needs a \
            proof for each request, which "identity request" makes. --json is the same as --format json, and has the details \
            that the setting tokenResponse.details keeps.

            --format kubectl is for kubectl alone, which says in KUBERNETES_EXEC_INFO what cluster a token is for. Only a \
            server that a provider of the configuration names gets one. The kubeconfig needs provideClusterInfo: true.

            EXAMPLES
              identity token
              curl -H "$(identity token --format header)" https://api.example.com/me
              identity token --format json | jq -r .expiresAt
              identity token --min-life 10m
              identity token --account ada@example.com
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var acting: AccountOptions

    @Option(name: .customLong("scope"), help: "A scope the token must carry. May be repeated.")
    var scopes: [String] = []

    @Option(help: "The form: raw, header, json, kubectl or netrc.")
    var format = TokenFormat.raw

    @Option(help: "How long the token must last at least, such as 90s, 10m or 2h.")
    var minLife: LifetimeArgument?

    @Flag(help: "Refresh the token even if it is valid.")
    var fresh = false

    @OptionGroup var output: OutputOptions

    @Option(help: "The machine of a netrc line. The default is the backend's.")
    var host: String?

    @Option(help: "With --format kubectl: the ID token for this audience, in place of the access token.")
    var idToken: String?

    func validate() throws {
        guard idToken == nil || isForKubectl else { throw ValidationError("--id-token is for --format kubectl.") }
        guard minLife == nil || !fresh else { throw ValidationError("Leave out --min-life or --fresh.") }
    }

    private var isForKubectl: Bool { format == .kubectl && !output.json }

    func run(in call: ToolCall) async throws {
        if isForKubectl { return try await answerKubectl(in: call) }
        let freshness = fresh ? .new : minLife.map { TokenFreshness.lasting($0.duration) } ?? .any
        let token = try await ToolSession.run(place, as: acting.named(in: call), in: call) { [place, scopes] in
            try await TokenShortcut.leaving(for: place, in: $0) {
                try await AccessToken.current(in: $0, scopes: scopes, freshness: freshness)
            }
        }
        token.caution.map(call.terminal.note)
        try call.terminal.line((output.json ? TokenFormat.json : format).text(of: token, host: host))
    }
    private func answerKubectl(in call: ToolCall) async throws {
        let request = try KubectlRequest(variables: call.variables)
        let answer = try await ToolSession.run(place, as: acting.named(in: call), in: call) { [idToken] in
            try await KubectlAnswer(to: request, in: $0, idTokenFor: idToken)
        }
        try call.terminal.json(answer)
    }
}
