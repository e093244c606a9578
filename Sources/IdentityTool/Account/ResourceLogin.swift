import Foundation
import IdentityKit

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
        let new = try new
        let file = try ConfigurationFile.place(place, in: call)
        guard FileManager.default.fileExists(atPath: file.path) else {
            let file = try ConfigurationFile.create(with: new, for: place, in: call)
            call.terminal.note("Wrote \(file.path).")
            return new.name
        }
        let configuration = try IdentityConfiguration(
            contentsOf: file, profile: place.profile, variables: call.variables)
        let key = call.registry.plugin(of: new.type)?.addressSetting ?? ""
        let known = configuration.providers.first {
            $0.type == new.type && $0.settings[key] == new.settings[key]
        }
        guard let known else { throw ResourceNotConfigured(file: file, provider: new, key: key) }
        return known.name
    }

    private var new: ProviderConfiguration {
        get throws {
            for plugin in call.registry.plugins {
                guard let settings = plugin.settings(for: .toResource(resource)) else { continue }
                return ProviderConfiguration(
                    name: resource.host ?? "resource", type: plugin.type, settings: .object(settings))
            }
            throw SignInNotPossible(reasons: "no type of provider takes a resource")
        }
    }
}

struct ResourceNotConfigured: IdentityFailure {
    let file: URL
    let provider: ProviderConfiguration
    /// The setting that holds the resource.
    let key: String

    let failureCode = "resource_not_configured"
    let failureClass = FailureClass.definitive

    var message: String {
        "\(file.path) has no provider for this resource. Add one to its \"providers\": "
            + "{\"name\": \"\(provider.name)\", \"type\": \"\(provider.type)\", \"settings\": "
            + "{\"\(key)\": \"\(provider.settings[key]?.stringValue ?? "")\"}}"
    }
}
