extension OpenIDCall {
    static let router = Router<OpenIDCall>(
        routes: [
            Route("GET", OpenIDEndpoints.openIDConfiguration, OpenIDCall.openIDConfiguration),
            Route("GET", OpenIDEndpoints.authorizationServerMetadata, OpenIDCall.authorizationServerMetadata),
            Route("GET", OpenIDEndpoints.keySet, OpenIDCall.keySet),

            Route("GET", OpenIDEndpoints.authorization, OpenIDCall.authorize),
            Route("POST", OpenIDEndpoints.authorization, OpenIDCall.authorize),
            Route("POST", OpenIDEndpoints.pushedAuthorization, OpenIDCall.pushRequest),
            Route("POST", OpenIDEndpoints.login, OpenIDCall.logIn),
            Route("POST", OpenIDEndpoints.consent, OpenIDCall.consent),
            Route("GET", OpenIDEndpoints.endSession, OpenIDCall.endSession),
            Route("POST", OpenIDEndpoints.endSession, OpenIDCall.endSession),

            Route("POST", OpenIDEndpoints.token, OpenIDCall.token),
            Route("POST", OpenIDEndpoints.revocation, OpenIDCall.revoke),
            Route("POST", OpenIDEndpoints.introspection, OpenIDCall.introspect),
            Route("GET", OpenIDEndpoints.userInfo, OpenIDCall.userInfo),
            Route("POST", OpenIDEndpoints.userInfo, OpenIDCall.userInfo),

            Route("POST", OpenIDEndpoints.deviceAuthorization, OpenIDCall.authorizeDevice),
            Route("GET", OpenIDEndpoints.device, OpenIDCall.deviceForm),
            Route("POST", OpenIDEndpoints.device, OpenIDCall.decideOnDevice),

            Route("POST", OpenIDEndpoints.registration, OpenIDCall.register),
            Route("GET", OpenIDEndpoints.registration, OpenIDCall.readRegistration),
            Route("PUT", OpenIDEndpoints.registration, OpenIDCall.changeRegistration),
            Route("DELETE", OpenIDEndpoints.registration, OpenIDCall.deleteRegistration),

            Route("GET", OpenIDEndpoints.resource, OpenIDCall.demoResource),
            Route("GET", OpenIDEndpoints.notes, OpenIDCall.readNotes),
            Route("POST", OpenIDEndpoints.notes, OpenIDCall.writeNote),
            Route("GET", OpenIDEndpoints.privateNotes, OpenIDCall.readPrivateNotes),
            Route("GET", OpenIDEndpoints.notesMetadata, OpenIDCall.resourceMetadata),
            Route("GET", "/elsewhere" + OpenIDEndpoints.openIDConfiguration, OpenIDCall.foreignMetadata),
        ]
    ) { call, _, methods in
        if methods.isEmpty { throw OpenIDServerError.notFound }
        return OpenIDServerError.methodNotAllowed.response(call.behaviour)
            .with(header: "Allow", methods.sorted().joined(separator: ", "))
    }
}

/// The paths of the endpoints, without the configured path before them.
enum OpenIDEndpoints {
    static let openIDConfiguration = "/.well-known/openid-configuration"
    static let authorizationServerMetadata = "/.well-known/oauth-authorization-server"
    static let keySet = "/jwks"
    static let authorization = "/authorize"
    static let pushedAuthorization = "/par"
    static let login = "/login"
    static let consent = "/consent"
    static let endSession = "/end-session"
    static let token = "/token"
    static let revocation = "/revoke"
    static let introspection = "/introspect"
    static let userInfo = "/userinfo"
    static let deviceAuthorization = "/device-authorization"
    static let device = "/device"
    static let registration = "/register"
    static let resource = "/api/resource"
    static let notes = "/api/notes"
    static let privateNotes = "/api/notes/private"
    static let notesMetadata = "/.well-known/oauth-protected-resource/api/notes"
}
