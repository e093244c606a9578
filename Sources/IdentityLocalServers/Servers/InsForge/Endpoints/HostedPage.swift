extension InsForgeCall {
    /// `GET /auth/sign-in`: the sign-in page that servers hosted before March 2026
    /// (Backends/InsForge.md#older-callbacks). If `asksPeople` is false in the configuration, no page is shown, and the
    /// initial user is signed in at once.
    ///
    /// Without a valid `redirect`, the response is a page with an error message, like that of the real server.
    func hostedPage() throws -> LocalResponse {
        guard backend.rules.legacy.servesHostedPage else { throw InsForgeNotFoundError() }
        guard let visit = HostedVisit(request.query) else {
            return HTMLPage("Sign in", site: InsForgePage.site, alert: "Add the redirect parameter.").response()
        }
        try backend.requireAllowed(redirect: visit.target)
        guard !backend.rules.asksPeople else { return signInPage(visit).response() }
        guard let user = backend.users.user(id: backend.rules.user.id) else { throw InsForgeServerError.userNotFound }
        return .insForgeRedirect(to: try backend.address(for: user, visit))
    }

    /// `POST /auth/sign-in`: handles the form of the page. The real page had no form, but a script that called the API.
    func hostedPageForm() throws -> LocalResponse {
        guard backend.rules.legacy.servesHostedPage, backend.rules.asksPeople else { throw InsForgeNotFoundError() }
        guard request.isFromOwnPage else { return HTMLPage.foreignForm(site: InsForgePage.site) }
        guard let visit = HostedVisit(request.form ?? []) else {
            throw InsForgeServerError.invalidInput("redirect is required")
        }
        try backend.requireAllowed(redirect: visit.target)
        if let provider = request.formValue("provider") {
            guard let codeChallenge = visit.codeChallenge, backend.providers.builtIn.contains(provider) else {
                throw InsForgeServerError.unsupportedProvider(provider)
            }
            return .seeOther(try providerAddress(provider, redirectURI: visit.target, codeChallenge: codeChallenge))
        }
        if let user = request.chosenPerson.flatMap(backend.users.user(id:)), user.emailVerified {
            return .seeOther(try backend.address(for: user, visit))
        }
        let email = (request.formValue("email") ?? "").lowercased()
        do {
            let user = try backend.notingRefusal(of: email) {
                try backend.user(email: email, password: request.formValue("password") ?? "")
            }
            return .seeOther(try backend.address(for: user, visit))
        } catch let failure as InsForgeServerError {
            return signInPage(visit, email: email, problem: failure.message + ".").response()
        }
    }
}

struct HostedVisit: Sendable {
    static let path = "/auth/sign-in"

    /// The app's redirect address, exactly as in the request.
    let target: String
    let redirect: WebURL
    let codeChallenge: String?

    init?(_ parameters: [LocalRequest.Parameter]) {
        func value(_ name: String) -> String? { parameters.first { $0.name == name && !$0.value.isEmpty }?.value }
        guard let target = value("redirect"), let redirect = WebURL(target) else { return nil }
        self.target = target
        self.redirect = redirect
        codeChallenge = value("code_challenge")
    }

    /// The parameters of the request to the page, as hidden fields of a form.
    var hidden: [(name: String, value: String)] {
        [("redirect", target)] + (codeChallenge.map { [("code_challenge", $0)] } ?? [])
    }
}

extension InsForgeCall {
    /// Returns the sign-in page. An OAuth sign-in needs a code challenge, so without one, the page has no buttons for OAuth
    /// providers.
    fileprivate func signInPage(_ visit: HostedVisit, email: String = "", problem: String? = nil) -> HTMLPage {
        InsForgePage.signIn(
            visit, providers: visit.codeChallenge == nil ? [] : backend.providers.builtIn, email: email,
            problem: problem, people: backend.choosablePeople(for: request))
    }
}

extension InsForgeBackend {
    /// Returns the app's redirect address with a code. The address has tokens instead if the request to the page had no code
    /// challenge, or if `callbackCarriesTokens` is set in the configuration.
    fileprivate func address(for user: InsForgeUser, _ visit: HostedVisit) throws -> String {
        if !rules.legacy.callbackCarriesTokens, let challenge = visit.codeChallenge {
            let code = oauthCodes.issue(userID: user.id, codeChallenge: challenge)
            return visit.redirect.with(["insforge_code": code]).href
        }
        return try handOff(user, to: visit.target)
    }

    /// Returns the app's redirect address with tokens and user fields. Like the real page, this method replaces the whole
    /// query and writes `undefined` for a missing name.
    private func handOff(_ user: InsForgeUser, to target: String) throws -> String {
        let session = InsForgeSession(subject: user.id, type: .user)
        let parameters = try legacyParameters(of: session, for: user, missingName: "undefined")
        let base = target.split(separator: "?", maxSplits: 1).first.map(String.init) ?? target
        return base + "?" + LocalRequest.encodeForm(parameters.map { ($0.key, $0.value) })
    }
}

/// No endpoint handles the request: its method and path are unknown, or the configuration switches the endpoint off.
/// The response is 404.
struct InsForgeNotFoundError: Error {}
