import IdentityKit

struct SignInSettings {
    let usesDevice: Bool
    /// The name of the provider that signs in; `nil` for the first provider with the device flow.
    let provider: String?
    let call: ToolCall

    /// Changes the provider's settings to the device flow (RFC 8628) if the command line asks for it.
    /// - Throws: ``MissingDeviceFlowError`` when the named provider does not exist or has no device flow, or when no provider
    ///   is named and none has a device flow.
    func apply(to configuration: inout IdentityConfiguration) throws {
        guard usesDevice else { return }
        let registry = call.registry(for: configuration)
        func signIn(_ provider: ProviderConfiguration) -> [String: JSONValue]? {
            registry.base(of: provider.type)?.setup.settingsForSignIn(.onAnotherDevice)
        }
        let name = provider ?? configuration.providers.first { signIn($0) != nil }?.name
        guard let index = configuration.providers.firstIndex(where: { $0.name == name }),
            let signIn = signIn(configuration.providers[index]),
            let settings = configuration.providers[index].settings.objectValue
        else {
            throw MissingDeviceFlowError(in: registry)
        }
        configuration.providers[index].settings = .object(settings.merging(signIn) { $1 })
    }
}

/// No provider that the command may use supports a sign-in on another device.
struct MissingDeviceFlowError: IdentityFailure {
    private let types: [String]

    init(in registry: ProviderRegistry) {
        types = registry.plugins.filter { $0.setup.settingsForSignIn(.onAnotherDevice) != nil }.map { $0.type }
    }

    let failureCode = "sign_in_refused"
    let failureClass = FailureClass.definitive
    var message: String {
        "Only a provider of the type \"\(types.joined(separator: "\" or \""))\" has a device flow."
    }
}
