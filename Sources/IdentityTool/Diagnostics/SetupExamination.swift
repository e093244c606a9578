import Foundation
import IdentityKit

/// Examines the configuration file, the chosen profile, and the environment variables that change the configuration.
struct SetupExamination {
    private(set) var findings: [Finding] = []
    /// The configuration; `nil` if it is unusable.
    private(set) var configuration: IdentityConfiguration?

    init(_ options: ConfigurationOptions, in call: ToolCall) {
        do {
            let file = try ConfigurationFile(options, in: call).url
            let configuration = try IdentityConfiguration(
                contentsOf: file, profile: options.profile, variables: call.variables)
            try call.check(configuration)
            self.configuration = configuration
            let names = configuration.providers.map(\.name).joined(separator: ", ")
            findings.append(.ok("configuration", "\(file.path), profile \(configuration.profile), providers \(names)"))
            findings += [.ok("configuration file", "only you can change it")] + overrides(among: call.variables)
        } catch {
            let fix =
                switch (error as? ConfigurationError)?.mistake {
                case .missingVariable(let keyPath, let name), .emptyVariable(let keyPath, let name):
                    "Run, with the value of \(keyPath) for VALUE: export \(name)=VALUE"
                default: "Then run: identity config check"
                }
            findings.append(.bad("configuration", error.identityMessage, fix: fix))
        }
    }

    private func overrides(among variables: [String: String]) -> [Finding] {
        let others = [DefaultTransport.variable, NamedAccount.variable]
        let names = variables.keys.filter { $0.hasPrefix("SWIFT_IDENTITY_") && !others.contains($0) }.sorted()
        guard !names.isEmpty else { return [] }
        return [
            .warning(
                "environment", "\(names.joined(separator: ", ")) change what the file says",
                fix: "Unset them if that is not intended.")
        ]
    }
}
