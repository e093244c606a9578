import Foundation

extension ProviderRegistry {
    /// Returns the preset whose issuer has the host of `address`, with or without `www.`, and the parameters found in
    /// the path of `address`; `nil` when there is no such preset. A preset whose host depends on a parameter without a
    /// default is never returned.
    package func preset(at address: URL) -> (preset: ProviderPreset, parameters: [String: String])? {
        guard let host = address.host?.lowercased() else { return nil }
        let vendors = presets.filter { $0.hosts.contains(host) }
        // Microsoft Entra has two presets at one host. The preset with the parameter `accounts` is for many directories,
        // and the other preset is for the single directory that the path names.
        let segment = address.pathComponents.dropFirst().first ?? ""
        let preset =
            vendors.first { $0.parameters.contains { $0.name == "accounts" && $0.takes(segment) } }
            ?? vendors.first { !$0.parameters.contains { $0.name == "accounts" } }
        return preset.map { ($0, $0.values(in: address)) }
    }
}

extension ProviderPreset {
    /// Returns the values of the preset's parameters, by name, that `address` has in its path. For the issuer
    /// `https://host/{tenant}/v2.0` and the address `https://host/abc`, the parameter `tenant` has the value `abc`.
    fileprivate func values(in address: URL) -> [String: String] {
        let issuer = settings["issuer"]?.stringValue ?? ""
        let path = issuer.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
        let pairs = zip(path, address.pathComponents.dropFirst()).compactMap { part, value in
            parameters.first { part == "{\($0.name)}" }.map { ($0.name, value) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    fileprivate var hosts: [String] {
        var issuer = settings["issuer"]?.stringValue ?? ""
        for parameter in parameters where issuer.hasPrefix("https://{\(parameter.name)}") {
            guard let standard = parameter.default else { return [] }
            issuer = issuer.replacing("{\(parameter.name)}", with: standard)
        }
        let host = issuer.hasPrefix("https://") ? issuer.dropFirst(8).prefix { $0 != "/" }.lowercased() : ""
        return host.isEmpty || host.contains("{") ? [] : [host, "www.\(host)"]
    }
}

extension ProviderPreset.Parameter {
    /// Whether `segment` names no single directory of Microsoft Entra: it is empty, or a word such as `common` that Entra
    /// accepts in place of a directory.
    fileprivate func takes(_ segment: String) -> Bool {
        ["", "common", "organizations", "consumers"].contains(segment)
    }
}
