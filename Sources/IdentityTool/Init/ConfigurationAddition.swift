import ArgumentParser
import Foundation
import IdentityKit

/// Adds a provider to the existing configuration, or to a new one.
struct ConfigurationAddition {
    private let call: ToolCall
    private let file: URL
    /// The current content of the file; `nil` if there is no file yet.
    private let document: Data?
    private let profile: String?
    private(set) var store: StoreConfiguration
    /// Whether the person may choose the folder for sessions: there is no file yet, and the command line names no
    /// folder.
    let asksForStore: Bool
    let providers: [ProviderConfiguration]
    /// The current configuration; `nil` if there is no file yet.
    private let present: IdentityConfiguration?
    /// The provider whose type and settings are changed; `nil` to add a new provider.
    private var replaced: ProviderConfiguration?

    /// Reads the current configuration.
    /// - Throws: ``ConfigurationCheckError`` for a configuration with mistakes, ``StoreIsConfiguredError``,
    ///   `ConfigurationError` or `ValidationError` for an invalid path, or the error of reading the file.
    init(_ options: ConfigurationOptions, store folder: String?, in call: ToolCall) throws {
        self.call = call
        let place = try ConfigurationFile.place(options, in: call)
        // Write to the target of a symbolic link, so that the link stays.
        file = place.resolvingSymlinksInPath()
        profile = options.profile
        guard try ConfigurationFile.isPresent(place) else {
            document = nil
            (providers, present) = ([], nil)
            asksForStore = folder == nil
            let folder = try folder.map(call.path) ?? ConfigurationFile.folder(.state, in: call).path
            store = .file(folder: folder)
            return
        }
        guard folder == nil else { throw StoreIsConfiguredError(path: place.path) }
        do {
            let document = try IdentityConfiguration.content(of: place)
            let configuration = try IdentityConfiguration(
                contentsOf: place, profile: options.profile, variables: call.variables)
            self.document = document
            asksForStore = false
            store = configuration.store
            (providers, present) = (configuration.providers, configuration)
        } catch let error as ConfigurationError {
            throw ConfigurationCheckError(file: place, error: error)
        }
    }

    /// A sentence about the file that is written or changed.
    var introduction: String {
        document == nil ? "This writes \(file.path)." : "This adds a provider to \(file.path)."
    }

    /// Asks for the folder for sessions, until the answer can be used.
    /// - Throws: ``TerminalPromptError``, or `CancellationError`.
    mutating func askForStore(with questions: Questions) async throws {
        guard let standard = store.files?.folder else { return }
        let question = Question(
            name: "store", meaning: "The folder for sessions, which are sealed there.", standard: standard)
        while true {
            let answer = try await questions.answer(to: question)
            do {
                let answered = StoreConfiguration.file(folder: try call.path(answer))
                try call.stores.check(answered, in: call.storeContext)
                store = answered
                return
            } catch let error as any IdentityFailure {
                call.print(prose: error.message)
            } catch let error as ValidationError {
                call.print(prose: error.message)
            }
        }
    }

    /// Decides whether to change an existing provider for the same server. The provider is changed if the command line
    /// names it, or if the person agrees.
    /// - Throws: ``TerminalPromptError``, or `CancellationError`.
    mutating func choosePlace(
        for type: String, _ settings: [String: JSONValue], named name: String?, with questions: Questions
    ) async throws {
        guard let server = server(of: ProviderConfiguration(name: "", type: type, settings: .object(settings))),
            let present = providers.first(where: { (name ?? $0.name) == $0.name && self.server(of: $0) == server })
        else { return }
        let fact = "\(present.name) is a provider for this server already."
        if name == nil, !questions.isPossible {
            return call.print(prose: "\(fact) This adds another one. To change it, give --name \(present.name).")
        }
        if name == nil {
            let question = Question(
                name: "change", meaning: "\(fact) Type change to give it new settings, or add for another provider.",
                standard: "change")
            while true {
                let answer = try await questions.answer(to: question).lowercased()
                if answer == "add" { return }
                if answer == "change" { break }
            }
        }
        replaced = present
        call.print(prose: "This changes \(present.name).")
    }

    /// The type and the address of a provider's server, to compare two providers; `nil` if the settings contain no
    /// address.
    private func server(of provider: ProviderConfiguration) -> [String]? {
        guard let whole = try? call.registry.expanded(provider),
            let key = call.registry.plugin(of: whole.type)?.setup.addressSetting,
            let address = whole.settings[key]?.stringValue
        else { return nil }
        return [whole.type, address.hasSuffix("/") ? String(address.dropLast()) : address]
    }

    /// Returns the provider to write. A changed provider keeps its name and everything else except type and settings.
    func provider(named name: String?, _ type: String, _ settings: JSONValue) -> ProviderConfiguration {
        guard var provider = replaced else {
            return ProviderConfiguration(name: freeName(name ?? type), type: type, settings: settings)
        }
        (provider.type, provider.settings) = (type, settings)
        return provider
    }

    /// Returns `name`, with a number appended if a provider has this name already.
    private func freeName(_ name: String) -> String {
        let names = Set(providers.map(\.name))
        guard names.contains(name) else { return name }
        return (2...).lazy.map { "\(name)-\($0)" }.first { !names.contains($0) } ?? name
    }

    private func text(of document: Data, with provider: ProviderConfiguration) throws -> Data {
        let text = ConfigurationText(document)
        return replaced == nil
            ? try text.adding(provider, profile: profile, variables: call.variables)
            : try text.replacing(provider, profile: profile, variables: call.variables)
    }

    /// Checks the configuration with `provider`, and makes its providers, as an app does at its start.
    /// - Returns: the checked configuration.
    /// - Throws: ``ConfigurationCheckError``, or what checking the store or making the provider throws.
    @discardableResult
    func check(_ provider: ProviderConfiguration) throws -> IdentityConfiguration {
        do {
            var configuration = IdentityConfiguration(store: store, providers: [provider])
            if let document {
                configuration = try IdentityConfiguration(
                    parsing: text(of: document, with: provider), profile: profile, variables: call.variables)
            }
            try call.stores.check(store, in: call.storeContext)
            try call.check(configuration)
            return configuration
        } catch {
            throw ConfigurationCheckError(error, in: file) ?? error
        }
    }

    /// Checks `provider`, and returns the current configuration with `provider` appended. If there is no file yet,
    /// returns a new configuration with this provider only.
    /// - Throws: as ``check(_:)``.
    func configuration(with provider: ProviderConfiguration) throws -> IdentityConfiguration {
        guard var configuration = present else { return try check(provider) }
        try check(provider)
        configuration.providers.append(provider)
        return configuration
    }

    /// Writes the configuration with `provider`.
    /// - Returns: the file.
    /// - Throws: ``ConfigurationExistsError`` or ``ConfigurationChangedError`` if another program has written the file
    ///   in the meantime, or the error of changing or writing the file.
    func write(_ provider: ProviderConfiguration) throws -> URL {
        guard let document else {
            let configuration = IdentityConfiguration(store: store, providers: [provider])
            guard try PrivateDocument.create(Data(try configuration.json().utf8), at: file.path) else {
                throw ConfigurationExistsError(path: file.path)
            }
            return file
        }
        let changed = try text(of: document, with: provider)
        let rights = try? FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        guard (try? Data(contentsOf: file)) == document else { throw ConfigurationChangedError(path: file.path) }
        try PrivateDocument.replace(changed, at: file.path)
        if let rights { try? FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: file.path) }
        return file
    }
}

/// The command line names a folder for sessions, but the configuration has a store already.
struct StoreIsConfiguredError: IdentityFailure {
    let path: String
    let failureCode = "store_is_configured"
    let failureClass = FailureClass.definitive
    var message: String { "\(path) says already where sessions are kept. Leave --store out, or change that file." }
}

/// The configuration file changed after the command had read it.
struct ConfigurationChangedError: IdentityFailure {
    let path: String
    let failureCode = "configuration_changed"
    let failureClass = FailureClass.transient
    var message: String { "\(path) was changed meanwhile, so nothing was written. Run the command again." }
}
