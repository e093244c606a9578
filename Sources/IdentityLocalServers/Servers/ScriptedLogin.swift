import Foundation
import IdentityKit

/// A person at a browser, simulated for tests: opens an authorization or device page, fills in the forms, and stops
/// where the browser would leave the server for the application.
///
/// A scripted login works with every server whose pages need no script. For ThunderID's sign-in page, it does the work of
/// the page's script. Cookies are kept as long as the login exists, so a second visit finds the session of the first.
public final class ScriptedLogin: Sendable {
    /// The last address of the browser, with its page or form.
    public struct Landing: Sendable, Equatable {
        /// The address of the application if the browser left the server, otherwise the address of the server's last page.
        public let url: URL
        /// The form that the page posts to the application (OAuth 2.0 Form Post Response Mode); `nil` for a redirect, or if the
        /// browser stayed at the server. The form is not sent.
        public let form: [LocalRequest.Parameter]?
        /// The server's last page; `nil` if the browser left the server.
        public let page: String?
    }

    private static let longestWay = 20

    private let answers: Locked<[String: Secret]>
    private let cookies: Locked<[String: String]>
    private let transport = DefaultTransport.make()

    /// Creates a login that fills in forms with the given answers.
    /// - Parameters:
    ///   - answers: the values of form fields, by field name; for buttons, the value of the button to press.
    ///   - other: a login with which this login shares its cookies; `nil` for a new browser.
    public init(answers: [String: Secret], sharing other: ScriptedLogin? = nil) {
        self.answers = Locked(answers)
        cookies = other?.cookies ?? Locked([:])
    }

    /// Creates a login without answers, for pages that ask the person nothing.
    public convenience init() { self.init(answers: [:]) }

    /// Creates a login that enters the credentials of a local server's user.
    /// - Parameters:
    ///   - username: the user name; at a ``LocalInsForgeServer`` the email address.
    ///   - password: the password of the user.
    ///   - allows: whether the person allows the client's request when the server asks; `false` denies it.
    public convenience init(username: String, password: Secret, allows: Bool = true) {
        let (name, decision) = (Secret(username), Secret(allows ? "allow" : "deny"))
        self.init(answers: ["username": name, "email": name, "password": password, "decision": decision])
    }

    /// Opens an authorization request's address and signs in.
    /// - Returns: the client's redirect URI with the parameters of the response, such as an authorization code or an
    ///   error.
    /// - Throws: ``ScriptedLoginError``, ``/IdentityKit/TransportError`` if the server does not respond, or
    ///   `CancellationError` if the task is cancelled.
    public func signIn(at authorizationURL: URL) async throws -> URL {
        let landing = try await visit(authorizationURL)
        guard landing.page == nil else { throw ScriptedLoginError.stranded(at: landing.url.path) }
        guard landing.form == nil else { throw ScriptedLoginError.unexpectedForm }
        return landing.url
    }

    /// Approves or rejects a device, according to the answers (RFC 8628 section 3.3). Does not report whether the
    /// server accepted the answers.
    /// - Parameters:
    ///   - verificationURI: the address of the page that asks for the user code.
    ///   - userCode: the code that the device shows; `nil` if `verificationURI` contains it (`verification_uri_complete`).
    /// - Throws: ``ScriptedLoginError``, ``/IdentityKit/TransportError`` if the server does not respond, or
    ///   `CancellationError` if the task is cancelled.
    public func decideOnDevice(at verificationURI: URL, userCode: String? = nil) async throws {
        if let userCode { answers.withLock { $0["user_code"] = Secret(userCode) } }
        _ = try await visit(verificationURI)
    }

    /// Opens `url`, then fills in forms and follows redirects until the browser leaves the server or a page has no form to fill
    /// in. After 20 forms, or 20 redirects in a row, the login fails with ``ScriptedLoginError/endless``.
    /// - Throws: ``ScriptedLoginError``, ``/IdentityKit/TransportError`` if the server does not respond, or
    ///   `CancellationError` if the task is cancelled.
    public func visit(_ url: URL) async throws -> Landing {
        var request = URLRequest(url: url)
        var filled: [HTMLForm] = []
        for _ in 0..<Self.longestWay {
            let (here, page, _) = try await follow(request, at: url)
            guard let page, let form = fillable(page, after: filled) else {
                return Landing(url: here, form: nil, page: page)
            }
            filled.append(form)
            let parameters = parameters(of: form)
            guard
                let target = URL(string: form.action.isEmpty ? here.absoluteString : form.action, relativeTo: here)?
                    .absoluteURL
            else { throw ScriptedLoginError.badAddress(form.action) }
            guard target.origin == url.origin else { return Landing(url: target, form: parameters, page: nil) }
            request = post(parameters, to: target, from: here)
        }
        throw ScriptedLoginError.endless
    }

    /// Sends a request, and follows redirects that stay at the server.
    /// - Returns: the last address, its page, and the last response's head. The page is `nil` if the address is not at the
    ///   server; such an address is not opened.
    func follow(
        _ request: URLRequest, at server: URL
    ) async throws -> (url: URL, page: String?, head: HTTPURLResponse) {
        var request = request
        for _ in 0..<Self.longestWay {
            let (page, head) = try await load(request)
            let here = request.url ?? server
            guard let location = head.redirection else { return (here, page, head) }
            guard let target = URL(string: location, relativeTo: here)?.absoluteURL else {
                throw ScriptedLoginError.badAddress(location)
            }
            let next = try await endOfFlow(at: target) ?? target
            guard next.origin == server.origin else { return (next, nil, head) }
            let accepted = request.value(forHTTPHeaderField: "Accept")
            request = URLRequest(url: next)
            request.setValue(accepted, forHTTPHeaderField: "Accept")
        }
        throw ScriptedLoginError.endless
    }

    /// Runs the flow of ThunderID's sign-in page with user name and password, as the page's script does. Returns the address to
    /// which the script would send the browser. Returns `nil` if `page` is not ThunderID's sign-in page, if the answers lack a
    /// user name or a password, or if the server's last response contains no address.
    private func endOfFlow(at page: URL) async throws -> URL? {
        let query = LocalRequest.decodeForm(page.query ?? "")
        func parameter(_ name: String) -> JSONValue? { query.first { $0.name == name }.map { .string($0.value) } }
        let inputs = answers.withLock { $0.filter { ["username", "password"].contains($0.key) } }
        guard page.path.hasSuffix("/gate/signin"), inputs.count == 2, let execution = parameter("executionId"),
            let request = parameter("authId"),
            let base = page.absoluteString.components(separatedBy: "gate/signin").first
        else { return nil }
        let first = try await post(["executionId": execution], to: base + "flow/execute")
        let last = try await post(
            [
                "executionId": execution, "challengeToken": first["challengeToken"] ?? .null,
                "action": first["data"]?["actions"]?.arrayValue?.first?["ref"] ?? .null,
                "inputs": .object(inputs.mapValues { .string($0.reveal()) }),
            ], to: base + "flow/execute")
        guard let assertion = last["assertion"] else {
            throw ScriptedLoginError.refused(code: last["error"]?["code"]?.stringValue ?? "")
        }
        let response = try await post(["authId": request, "assertion": assertion], to: base + "oauth2/auth/callback")
        return response["redirect_uri"]?.stringValue.flatMap(URL.init(string:))
    }

    private func post(_ body: JSONValue, to address: String) async throws -> JSONValue {
        guard let url = URL(string: address) else { throw ScriptedLoginError.badAddress(address) }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(body)
        let (data, head) = try await transport.data(for: request)
        guard head.statusCode == 200, let response = try? JSONValue(parsing: data) else {
            throw ScriptedLoginError.stranded(at: url.path)
        }
        return response
    }

    /// Sends a request with this browser's cookies and keeps those of the response. Redirects are not followed.
    private func load(_ request: URLRequest) async throws -> (page: String, head: HTTPURLResponse) {
        var request = request
        let jar = cookies.withLock { $0 }
        if !jar.isEmpty {
            request.setValue(jar.map { "\($0)=\($1)" }.joined(separator: "; "), forHTTPHeaderField: "Cookie")
        }
        let (body, head) = try await transport.data(for: request)
        for (name, value) in SetCookie.pairs(in: head.value(forHTTPHeaderField: "Set-Cookie") ?? "") {
            cookies.withLock { $0[name] = value }
        }
        return (String(decoding: body, as: UTF8.self), head)
    }

    /// Returns the first form on the page that has a field for an answer, or that posts an authorization code to the
    /// application; `nil` for none. A form that was filled in before is skipped, because the server has refused its
    /// answers.
    private func fillable(_ page: String, after filled: [HTMLForm]) -> HTMLForm? {
        let answers = answers.withLock { $0 }
        return HTMLForm.forms(in: page).first { form in
            guard form.method == "POST" else { return false }
            let isRepeated = filled.contains { $0.shape == form.shape }
            // Skip the list of people to choose from. A scripted login enters credentials instead.
            guard !form.fields.contains(where: { $0.name == HTMLPage.chosenPerson }) else { return false }
            let isForApplication = URL(string: form.action)?.host.map { _ in form.fields.contains { $0.name == "code" }
            }
            return !isRepeated && (form.fields.contains { answers[$0.name] != nil } || isForApplication == true)
        }
    }

    private func parameters(of form: HTMLForm) -> [LocalRequest.Parameter] {
        let answers = answers.withLock { $0 }
        let fields = form.fields.filter { $0.type != "submit" }.map { field in
            LocalRequest.Parameter(name: field.name, value: answers[field.name]?.reveal() ?? field.value)
        }
        let buttons = form.fields.filter { $0.type == "submit" }
        let pressed = buttons.first { answers[$0.name]?.reveal() == $0.value } ?? buttons.first
        return fields + (pressed.map { [LocalRequest.Parameter(name: $0.name, value: $0.value)] } ?? [])
    }

    private func post(_ parameters: [LocalRequest.Parameter], to url: URL, from page: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        // Servers with protection against forged requests check the address of the page that contains the form.
        request.setValue(page.absoluteString, forHTTPHeaderField: "Referer")
        request.httpBody = Data(LocalRequest.encodeForm(parameters.map { ($0.name, $0.value) }).utf8)
        return request
    }
}

/// The reason why a ``ScriptedLogin`` did not return to the application.
public enum ScriptedLoginError: StatedFailure, Equatable {
    /// The browser stayed at the server, on the page with this path. Usual causes are wrong credentials, and a wrong client
    /// identifier or redirect URI. Also thrown if ThunderID's flow or callback does not respond with 200 and JSON.
    case stranded(at: String)
    /// ThunderID's flow returned no assertion for the user name and password. `code` is the code of the flow's error;
    /// empty if the flow asks for further input.
    case refused(code: String)
    /// The server used a form post for its response, but ``ScriptedLogin/signIn(at:)`` expects a redirect.
    case unexpectedForm
    /// A redirect or form leads to this text, which is not a valid address.
    case badAddress(String)
    /// The server led through 20 forms, or through 20 redirects in a row, without an end.
    case endless

    package var facts: FailureFacts {
        switch self {
        case .stranded(let path):
            .definitive(
                "login_stranded",
                "The browser was left on \(path). Check the credentials, the client id and the redirect URI.")
        case .refused(let code):
            .definitive("login_refused", "The server refused the user name and the password (\(code)). Check them.")
        case .unexpectedForm:
            .definitive(
                "login_unexpected_form",
                "The server posted its response. Request the response mode query, or use visit.")
        case .badAddress(let text):
            .definitive("login_bad_address", "The server led to \"\(ScrubbedText.scrub(text))\", which is no address.")
        case .endless: .definitive("login_endless", "The server led through too many pages.")
        }
    }
}

/// Splits a `Set-Cookie` value. URLSession joins several `Set-Cookie` fields into a single value, separated by commas.
private enum SetCookie {
    static func pairs(in header: String) -> [(name: String, value: String)] {
        var cookies: [String] = []
        for piece in header.components(separatedBy: ",") {
            // A piece is the start of a cookie only if it begins with a name and an equals sign. Any other piece follows a
            // comma in the date of `Expires`, and is dropped.
            let start = piece.split(separator: ";").first.map(String.init) ?? ""
            let name = start.split(separator: "=", maxSplits: 1).first?.trimmingCharacters(in: .whitespaces) ?? ""
            let beginsCookie = start.contains("=") && !name.isEmpty && !name.contains(" ")
            if beginsCookie || cookies.isEmpty { cookies.append(start) }
        }
        return cookies.compactMap { cookie in
            let parts = cookie.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            return (parts[0].trimmingCharacters(in: .whitespaces), parts[1].trimmingCharacters(in: .whitespaces))
        }
    }
}

extension HTMLForm {
    /// The form's address and field names, by which a form is recognized when the server shows it again.
    fileprivate var shape: [String] { [action] + fields.map(\.name) }
}

extension HTTPURLResponse {
    /// The `Location` of a redirect; `nil` for any other response, and for a redirect without `Location`.
    fileprivate var redirection: String? { 300..<400 ~= statusCode ? value(forHTTPHeaderField: "Location") : nil }
}

extension URL {
    fileprivate var origin: String { "\(scheme ?? "")://\(host ?? ""):\(port ?? 0)" }
}
