import Foundation

extension ProviderRegistry {
    /// The preset whose issuer has the host of `address`, if that host is the same for all customers of the vendor,
    /// with the parameters found in the address.
    package func preset(at address: URL) -> (preset: ProviderPreset, parameters: [String: String])? {
        guard let host = address.host?.lowercased() else { return nil }
        let vendors = presets.filter { $0.hosts.contains(host) }
        // Prefer the preset with a tenant in its path only for an address that names a single directory.
        let segment = address.pathComponents.dropFirst().first ?? ""
        let preset =
            vendors.first { $0.parameters.contains { $0.name == "accounts" && $0.takes(segment) } }
            ?? vendors.first { !$0.parameters.contains { $0.name == "accounts" } }
        return preset.map { ($0, $0.values(in: address)) }
    }
}

extension ProviderPreset {
    /// The values of the parameters that are segments of the issuer's path.
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
    /// Whether `segment` is a word such as `common`, which stands for many directories.
    fileprivate func takes(_ segment: String) -> Bool {
        ["", "common", "organizations", "consumers"].contains(segment)
    }
}
