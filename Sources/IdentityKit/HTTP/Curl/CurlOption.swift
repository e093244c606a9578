#if canImport(CIdentityCurl)
import CIdentityCurl

/// Options of a libcurl request, with the numbers of `CURLoption`, which never change.
enum CurlOption: Int32 {
    case url = 10002
    case proxy = 10004
    case socket = 10231
    case method = 10036
    case fields = 10023
    case addresses = 10203
    case authorities = 10065
    case authoritiesFolder = 10097
    case authoritiesForProxies = 10246
    case authoritiesFolderForProxies = 10247
    case encodings = 10102
    case hasNoBody = 44
    case needsNewConnection = 74
    case closesConnection = 75
    case version = 84
    case usesNoSignals = 99
    case protocols = 181
    case keepsAlive = 213
    case probeInterval = 215
    case hidesProxyResponse = 265
    case takesOldestVersion = 285
    case leavesResolver = 322

    func set(_ value: Int, of request: UnsafeMutableRawPointer) {
        _ = identity_curl_request_set_number(request, rawValue, value)
    }

    /// Sets an option to a list of lines.
    /// - Returns: the list, which must live as long as the request.
    func set(_ lines: [String], of request: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        let list = lines.reduce(nil) { identity_curl_list_append($0, $1) }
        _ = identity_curl_request_set_list(request, rawValue, list)
        return list
    }

    func set(_ text: String, of request: UnsafeMutableRawPointer) {
        _ = identity_curl_request_set_text(request, rawValue, text)
    }
}
#endif
