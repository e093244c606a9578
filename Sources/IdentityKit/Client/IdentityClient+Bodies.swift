import Foundation

extension IdentityClient {
    /// Sends `request` as ``data(for:as:scopes:mayShowSignIn:)`` does, and returns the response while its body arrives,
    /// for a stream of events or a body of any size.
    ///
    /// ```swift
    /// let (parts, response) = try await client.bytes(for: request)
    /// for try await part in parts { events.append(part) }
    /// ```
    ///
    /// A request that is refused with 401 is repeated before this method returns. A body that breaks off is not requested
    /// again, because only the app knows where to resume. With an app's own transport that does not implement
    /// ``HTTPTransport/stream(for:)``, the body arrives in one part.
    /// - Parameters:
    ///   - request: the request.
    ///   - account: the account; `nil` for the account whose provider has the request's address in
    ///     ``ProviderConfiguration/sendsTo``, or else the active one.
    ///   - scopes: the scopes that the token must have.
    ///   - mayShowSignIn: whether the client may show a sign-in.
    /// - Returns: the parts of the body, and the head of the response. The transport may pause receiving while the reader
    ///   is slow. When the parts are released before the end of the body, the request ends.
    /// - Throws: as ``data(for:as:scopes:mayShowSignIn:)``; reading the body throws what the transport does.
    public func bytes(
        for request: URLRequest, as account: AccountID? = nil, scopes: Set<String> = [], mayShowSignIn: Bool = false
    ) async throws -> (HTTPStream.Body, HTTPURLResponse) {
        try await send(request, as: account, scopes: scopes, mayShowSignIn: mayShowSignIn) {
            let response = try await $0.stream(for: $1)
            return (response.body, response.head)
        }
    }

    /// Sends `request` with a file as its body, as ``data(for:as:scopes:mayShowSignIn:)`` does. The file is read again
    /// when the request is repeated.
    /// - Parameters:
    ///   - request: the request. The file replaces its body.
    ///   - file: a regular file, or a symbolic link to one.
    ///   - account: the account; `nil` for the account whose provider has the request's address in
    ///     ``ProviderConfiguration/sendsTo``, or else the active one.
    ///   - scopes: the scopes that the token must have.
    ///   - mayShowSignIn: whether the client may show a sign-in.
    /// - Throws: ``TransportError/notSent(host:detail:)`` when the file cannot be read or is not regular, otherwise as
    ///   ``data(for:as:scopes:mayShowSignIn:)``.
    public func upload(
        for request: URLRequest, fromFile file: URL, as account: AccountID? = nil, scopes: Set<String> = [],
        mayShowSignIn: Bool = false
    ) async throws -> (Data, HTTPURLResponse) {
        var request = request
        request.httpBodyStream = nil
        return try await send(request, as: account, scopes: scopes, mayShowSignIn: mayShowSignIn) {
            try await $0.data(for: try $1.carrying(file))
        }
    }
}

extension URLRequest {
    /// Returns the request with `file` as its body, which is read when the request is sent.
    /// - Throws: ``TransportError/notSent(host:detail:)`` when the file cannot be read or is not regular.
    fileprivate func carrying(_ file: URL) throws(TransportError) -> URLRequest {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
        guard let attributes, attributes[.type] as? FileAttributeType == .typeRegular,
            let size = attributes[.size] as? NSNumber, let stream = InputStream(url: file)
        else {
            throw .notSent(host: url?.authority ?? "the server", detail: "its file cannot be read")
        }
        var copy = self
        copy.httpBodyStream = stream
        // Without this field the body is sent in chunks, which some servers refuse.
        copy.setValue(size.stringValue, forHTTPHeaderField: "Content-Length")
        return copy
    }
}
