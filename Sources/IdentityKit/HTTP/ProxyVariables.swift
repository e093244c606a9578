import Foundation
import StoreFormat

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The proxy that the environment names, as libcurl reads it.
///
/// Everywhere but on Apple's systems `URLSession` sends through libcurl, which takes the proxy of every transfer from the
/// environment and cannot be told otherwise: `connectionProxyDictionary` is ignored there. A request to this machine would
/// then leave it in the clear, so whoever sends one asks first.
///
/// Versions of libcurl read `no_proxy` differently. What counts here is what all of them since 7.68 understand; a request
/// that one of them would send away is taken for one that goes away.
struct ProxyVariables: Sendable {
    /// The text of a variable.
    let value: @Sendable (String) -> String?
    /// The version of libcurl, such as `libcurl/7.88.1`; `nil` when nobody knows.
    let curlVersion: String?

    /// Those of this process, read whenever they are asked for, as libcurl does.
    static let ofThisProcess = ProxyVariables(
        value: { ProcessVariables.value(of: $0) }, curlVersion: LoadedCurl.version)

    /// The variable that would send a request for `url` to a proxy although it is meant for this machine; `nil` when the
    /// request stays here, or is meant for another machine.
    func diverting(_ url: URL) -> String? {
        guard Self.isForThisMachine(url), let host = url.host.map(Self.bare), let scheme = url.scheme?.lowercased(),
            let variable = proxyVariable(for: scheme), !isExcepted(host)
        else { return nil }
        return variable
    }

    /// Whether a connection to the host of `url` ends on this machine, however its address is spelled.
    static func isForThisMachine(_ url: URL) -> Bool {
        url.host.map { isThisMachine(bare($0)) } ?? false
    }

    /// The first variable that names a proxy. `HTTP_PROXY` is none: in a CGI program that is a header of the request.
    private func proxyVariable(for scheme: String) -> String? {
        let own = scheme + "_proxy"
        let names = [own] + (own == "http_proxy" ? [] : [own.uppercased()]) + ["all_proxy", "ALL_PROXY"]
        return names.first { text($0) != nil }
    }

    /// Whether `no_proxy` excepts `host`.
    private func isExcepted(_ host: String) -> Bool {
        guard let list = text("no_proxy") ?? text("NO_PROXY") else { return false }
        // Among other entries an asterisk means nothing.
        if list == "*" { return true }
        return list.split(separator: ",").contains { isException($0.trimmingCharacters(in: [" "]).lowercased(), host) }
    }

    private func isException(_ entry: String, _ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") {
            let domain = entry.hasPrefix(".") ? String(entry.dropFirst()) : entry
            return !domain.isEmpty && (host == domain || host.hasSuffix("." + domain))
        }
        return host == "::1" ? entry == host : isAddress(entry, host)
    }

    /// Whether `entry` is the address `host`, or a network that contains it, such as `127.0.0.0/8`. Every other spelling of
    /// an address is compared as text by some versions and by others as what it means.
    private func isAddress(_ entry: String, _ host: String) -> Bool {
        guard let address = Self.dottedAddress(host) else { return false }
        if entry == host { return true }
        let parts = entry.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard knowsNetworks, parts.count == 2, let network = Self.dottedAddress(parts[0]),
            let length = UInt32(parts[1]), 1...32 ~= length, String(length) == parts[1]
        else { return false }
        return (network ^ address) >> (32 - length) == 0
    }

    private var knowsNetworks: Bool {
        let version = (curlVersion?.split(separator: " ").first?.split(separator: "/").last ?? "").split(separator: ".")
        guard let major = version.first.flatMap({ Int($0) }), let minor = version.dropFirst().first.flatMap({ Int($0) })
        else { return false }
        return (major, minor) >= (7, 87)
    }

    /// An empty variable is none.
    private func text(_ name: String) -> String? {
        value(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A host in lower case, without the brackets of an address of version 6.
    static func bare(_ host: String) -> String {
        let host = host.lowercased()
        return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// The number of an address of version 4 in its one usual spelling.
    private static func dottedAddress(_ text: String) -> UInt32? {
        let octets = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
        guard octets.count == 4, octets.map(String.init).joined(separator: ".") == text else { return nil }
        return octets.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func isThisMachine(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        var short = in_addr()
        if inet_aton(name, &short) != 0 { return isThisMachine(UInt32(bigEndian: short.s_addr)) }
        var long = in6_addr()
        guard inet_pton(AF_INET6, String(name.prefix { $0 != "%" }), &long) == 1 else { return false }
        let bytes = withUnsafeBytes(of: &long) { [UInt8]($0) }
        // The unspecified and the loopback address, and those of version 4 in version 6 (RFC 4291 sections 2.5.2, 2.5.3
        // and 2.5.5).
        guard bytes.prefix(10).allSatisfy({ $0 == 0 }), [[0, 0], [0xFF, 0xFF]].contains([UInt8](bytes[10..<12])) else {
            return false
        }
        let last = bytes[12...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return last == 1 || isThisMachine(last)
    }

    /// The loopback network, and the address that stands for any of this machine's (RFC 1122 section 3.2.1.3).
    private static func isThisMachine(_ address: UInt32) -> Bool {
        address >> 24 == 127 || address == 0
    }
}

/// The libcurl this process has loaded.
enum LoadedCurl {
    /// Such as `libcurl/7.88.1 OpenSSL/3.0.19`; `nil` where it is part of the program, or not used at all.
    static let version: String? = {
        #if canImport(FoundationNetworking)
        typealias Function = @convention(c) () -> UnsafePointer<CChar>?
        // Sound: `curl_version` has had this type in every version of libcurl.
        guard let symbol = dlsym(nil, "curl_version") else { return nil }
        return unsafeBitCast(symbol, to: Function.self)().map { String(cString: $0) }
        #else
        return nil
        #endif
    }()
}
