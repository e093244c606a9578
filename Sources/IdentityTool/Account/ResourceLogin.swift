import Foundation
import IdentityKit
import IdentityOAuthProviders

/// A sign-in to a protected resource that nobody has configured.
struct ResourceLogin {
    let resource: URL
    let place: ConfigurationOptions
    let call: ToolCall

    /// The provider for the resource: the one that is configured, or one of a configuration that is written now.
    /// - Returns: the provider's name.
    /// - Throws: ``ResourceNotConfigured`` when there is a configuration without it, otherwise what reading or writing one
    ///   throws.
    func provider() throws -> String {
        let file = try ConfigurationFile.place(place, in: call)
        guard FileManager.default.fileExists(atPath: file.path) else {
            let file = try ConfigurationFile.create(with: new, for: place, in: call)
            call.terminal.note("Wrote \(file.path).")
            return new.name
        }
        let configuration = try IdentityConfiguration(
            contentsOf: file, profile: place.profile, variables: call.variables)
        let known = configuration.providers.first { provider in
            provider.type == ProtectedResourcePlugin.type
                && provider.settings["resource"]?.stringValue == resource.absoluteString
        }
        guard let known else { throw ResourceNotConfigured(file: file, provider: new) }
        return known.name
    }

    private var new: ProviderConfiguration {
        var settings: [String: JSONValue] = ["resource": .string(resource.absoluteString)]
        if resource.scheme?.lowercased() == "http" { settings["allowsLoopbackHTTP"] = true }
        return ProviderConfiguration(
            name: resource.host ?? "resource", type: ProtectedResourcePlugin.type, settings: .object(settings))
    }
}

struct ResourceNotConfigured: IdentityFailure {
    let file: URL
    let provider: ProviderConfiguration

    let failureCode = "resource_not_configured"
    let failureClass = FailureClass.definitive

    var message: String {
        "\(file.path) has no provider for this resource. Add one to its \"providers\": "
            + "{\"name\": \"\(provider.name)\", \"type\": \"\(provider.type)\", \"settings\": "
            + "{\"resource\": \"\(provider.settings["resource"]?.stringValue ?? "")\"}}"
    }
}
