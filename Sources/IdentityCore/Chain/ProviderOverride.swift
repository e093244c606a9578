import Foundation

/// The providers of a chain that take part, as chosen by the app or the environment variable `SWIFT_IDENTITY_PROVIDER`.
///
/// The variable holds a provider's name, several names separated by commas in the order in which they are tried, or
/// names with a leading `-` to exclude. An override of the app takes precedence.
public struct ProviderOverride: Sendable, Equatable {
    package static let variable = "SWIFT_IDENTITY_PROVIDER"

    /// The names of the providers that take part, in order; empty for all.
    package let included: [String]
    /// The names of providers that do not take part, even if ``included`` contains them.
    package let excluded: Set<String>
    /// The source of the override, for messages: "the app", or the environment variable with its value.
    package let origin: String

    /// Creates an override that restricts the chain to the providers with these names, in this order. Without names,
    /// all providers take part.
    public static func only(_ names: String...) -> ProviderOverride {
        ProviderOverride(included: names, excluded: [], origin: "the app")
    }

    /// Creates an override that excludes the providers with these names from the chain.
    package static func excluding(_ names: String...) -> ProviderOverride {
        ProviderOverride(included: [], excluded: Set(names), origin: "the app")
    }

    /// Reads the override in the environment variable `SWIFT_IDENTITY_PROVIDER`.
    /// - Parameters:
    ///   - variables: the environment.
    ///   - known: the names of the chain's providers, for the error.
    ///   - isRequired: whether a missing variable is an error, such as on a build machine.
    /// - Returns: `nil` when the variable is not set or contains no name.
    /// - Throws: an error with the code `provider_variable_missing` in place of `nil` when `isRequired` is `true`.
    public static func environment(
        _ variables: [String: String] = ProcessInfo.processInfo.environment, known: [String] = [],
        isRequired: Bool = false
    ) throws -> ProviderOverride? {
        let entries = (variables[variable] ?? "").split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        guard !entries.isEmpty else {
            if isRequired { throw ChainUsageError.providerVariableMissing(known: known) }
            return nil
        }
        return ProviderOverride(
            included: entries.filter { !$0.hasPrefix("-") },
            excluded: Set(entries.filter { $0.hasPrefix("-") }.map { String($0.dropFirst()) }),
            origin: "\(variable)=\(entries.joined(separator: ","))")
    }

    /// Splits `links` into those that take part and the others. If the override names the providers that take part, their
    /// links are in the order of these names. Otherwise all links keep the order of `links`.
    /// - Throws: `ChainUsageError.unknownProvider(_:known:namedBy:)` when a name of the override belongs to no link.
    func split(_ links: [IdentityProviderChain.Link]) throws -> (
        included: [IdentityProviderChain.Link], excluded: [IdentityProviderChain.Link]
    ) {
        let byName = Dictionary(links.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        if let unknown = (included + excluded.sorted()).first(where: { byName[$0] == nil }) {
            throw ChainUsageError.unknownProvider(
                unknown, known: links.map(\.name),
                namedBy: origin.hasPrefix(Self.variable) ? origin : nil)
        }
        var taken: Set<String> = []
        let named = included.isEmpty ? links : included.compactMap { byName[$0] }
        let participants = named.filter { !excluded.contains($0.name) && taken.insert($0.name).inserted }
        return (participants, links.filter { !taken.contains($0.name) })
    }
}
