import Foundation
import ThunderIDSwiftUI

/// Every name of ThunderID's SDK (1.0.1) that is the same here, with the types it has there, beside the calls in
/// `DocumentedCalls` and the views in the sample `ThunderIDComponents`.
enum ThunderIDNames {
    static func configuration(storage: any StorageAdapter) -> ThunderIDConfig {
        var config = ThunderIDConfig(
            baseUrl: "https://id.example.com", clientId: "app", scopes: ["openid"], afterSignInUrl: "app://callback",
            afterSignOutUrl: "app://out", signInUrl: "https://app.example/in", signUpUrl: "https://app.example/up",
            clientSecret: nil, signInOptions: ["theme": "dark", "level": 2], signOutOptions: ["reason": "shared"],
            signUpOptions: ["plan": "free"], applicationId: "app", attestationEnabled: false,
            tokenValidation: TokenValidationConfig(clockTolerance: 30), storage: storage, instanceId: 1, vendor: "app")
        config.signInOptions["beta"] = true
        print(config.baseUrl, config.clientId ?? "", config.scopes, config.afterSignInUrl ?? "")
        print(config.afterSignOutUrl ?? "", config.signInUrl ?? "", config.signUpUrl ?? "", config.clientSecret ?? "")
        print(config.signOutOptions, config.signUpOptions, config.applicationId ?? "", config.attestationEnabled)
        print(config.tokenValidation.clockTolerance, config.storage == nil, config.instanceId ?? 0, config.vendor)
        return config
    }

    static func options() {
        let signIn = SignInOptions(prompt: "login", loginHint: "ada", fidp: "google", extra: ["ui_locales": "de"])
        print(signIn.prompt ?? "", signIn.loginHint ?? "", signIn.fidp ?? "", signIn.extra)
        let signUp = SignUpOptions(appId: "app", extra: ["plan": "free"])
        print(signUp.appId ?? "", signUp.extra)
        let signOut = SignOutOptions(idTokenHint: "token", extra: ["reason": "shared"])
        print(signOut.idTokenHint ?? "", signOut.extra)
        let exchange = TokenExchangeRequestConfig(
            subjectToken: "t", subjectTokenType: "urn:x", requestedTokenType: nil, audience: "api")
        print(exchange.subjectToken, exchange.subjectTokenType, exchange.requestedTokenType ?? "")
        print(exchange.audience ?? "")
    }

    static func models() throws {
        let user = User(
            sub: "1", username: "ada", email: nil, displayName: "Ada", profilePicture: nil, isNewUser: false,
            claims: [:])
        print(user.sub, user.username ?? "", user.email ?? "", user.displayName ?? "", user.profilePicture ?? "")
        print(user.isNewUser ?? false, user.claims?["email"]?.value ?? "")
        let profile = ThunderIDClient.UserProfile(id: "1", claims: ["age": AnyCodable(36)])
        print(profile.id, profile.claims)
        let tokens = TokenResponse(
            accessToken: "a", tokenType: "Bearer", expiresIn: 60, refreshToken: nil, idToken: nil, scope: "openid")
        print(tokens.accessToken, tokens.tokenType, tokens.expiresIn ?? 0, tokens.refreshToken ?? "")
        print(tokens.idToken ?? "", tokens.scope ?? "")
        let encode: (any Encoder) throws -> Void = AnyCodable("text").encode(to:)
        _ = encode
        let storage = InMemoryStorageAdapter()
        storage.store(key: "k", value: "v")
        print(storage.retrieve(key: "k") ?? "")
        storage.delete(key: "k")
        storage.clear()
    }

    static func flow(_ data: Data) throws {
        var payload = EmbeddedSignInPayload(flowId: nil, actionId: nil, inputs: [:], challengeToken: nil)
        payload.inputs["username"] = "ada"
        print(payload.flowId ?? "", payload.actionId ?? "", payload.challengeToken ?? "")
        let request = EmbeddedFlowRequestConfig(applicationId: "app", flowType: FlowType.registration)
        print(request.applicationId, request.flowType == .authentication)
        let response = try JSONDecoder().decode(EmbeddedFlowResponse.self, from: data)
        print(response.flowId ?? "", response.type ?? "", response.assertion ?? "", response.failureReason ?? "")
        print(response.challengeToken ?? "")
        switch response.flowStatus {
        case .promptOnly: print("go on")
        case .complete: print("done")
        case .error: print("over")
        }
        let status: FlowStatus = try JSONDecoder().decode(FlowStatus.self, from: data)
        let step: FlowStepData? = response.data
        print(status, step?.redirectURL ?? "", step?.additionalData?["message"]?.value ?? "")
        for input in step?.inputs ?? [] as [FlowInput] {
            print(input.id, input.name, input.type ?? "", input.required ?? false)
        }
        _ = FlowInput(name: "username", type: nil, required: true)
        let meta: FlowMeta? = step?.meta
        for action in step?.actions ?? [] {
            for component in meta?.components ?? [] { show(component, action.merging(component: component)) }
        }
    }

    private static func show(_ component: FlowComponent, _ action: FlowAction) {
        print(component.id ?? "", component.ref ?? "", component.type ?? "", component.category ?? "")
        print(component.label ?? "", component.placeholder ?? "", component.variant ?? "", component.eventType ?? "")
        print(component.align ?? "", component.icon ?? "", component.components ?? [])
        print(action.id, action.ref ?? "", action.nextNode ?? "", action.type ?? "", action.label ?? "")
        print(action.eventType ?? "", action.variant ?? "", action.icon ?? "")
        _ = FlowAction(
            id: "go", ref: nil, nextNode: nil, type: nil, label: "Go", eventType: nil, variant: nil, icon: nil)
    }

    static func meaning(of error: ThunderIDError) -> String {
        let code: ThunderIDErrorCode = error.code
        switch code {
        case .sdkNotInitialized, .alreadyInitialized, .invalidConfiguration, .invalidRedirectUri: return "set up"
        case .authenticationFailed, .userAccountLocked, .userAccountDisabled, .sessionExpired, .mfaRequired, .mfaFailed,
            .invalidGrant, .consentRequired:
            return "sign in"
        case .userAlreadyExists, .invalidInput, .invitationCodeInvalid, .invitationCodeExpired, .registrationDisabled:
            return "register"
        case .recoveryFailed, .confirmationCodeInvalid, .confirmationCodeExpired: return "recover"
        case .passkeyNotSupported, .passkeyCancelled, .passkeyNoCredential, .passkeyFailed: return "passkey"
        case .networkError, .requestTimeout, .serverError, .unknownError: return error.errorDescription ?? error.message
        }
    }

    @MainActor
    static func branding() {
        let spec = AvatarSpec(
            shape: AvatarShape.circle, variant: AvatarVariant.oneLetter, content: "A", colors: 1, bg: nil)
        print(spec.shape == .rounded, spec.variant == .twoLetter, spec.content, spec.colors, spec.bg ?? "")
        print(AvatarVariant.anonymousAnimal, AvatarVariant.anonymousEntity)
        let avatar: GeneratedAvatar = generateAvatar(spec)
        print(avatar.startColorHex ?? "", avatar.endColorHex ?? "", avatar.angleDegrees ?? 0, avatar.initials)
        print(avatar.shape, avatar.flatBackgroundHex ?? "", deriveAvatarContent(variant: .oneLetter, seedText: "Ada"))
        switch resolveLogoSpec("emoji:x", fallbackSeedText: "Notes") as ResolvedLogo {
        case .emoji(let text), .url(let text): print(text)
        case .avatar(let spec): print(spec)
        }
        print(anonymousAnimalNames.count, anonymousEntityNames.count)
        _ = (LogoIconCatalog.anonymousAnimalImage(named: "otter"), LogoIconCatalog.anonymousEntityImage(named: "x"))
        _ = (AvatarView(spec: spec), AvatarView(avatar: avatar))
        print(DefaultStrings.all)
    }

    @MainActor
    static func views(_ state: ThunderIDState, _ signIn: SignInState, _ signUp: SignUpState) async {
        print(state.user?.sub ?? "", state.isLoading, state.isInitialized, state.error ?? "", state.isSignedIn)
        print(state.client.isLoading(), state.i18n.activeLocale, state.i18n.resolve("signIn.button"))
        await state.refresh()
        state.setLocale("de")
        state.i18n.setLocale("en")
        _ = ThunderIDI18n(bundles: [:], language: nil, fallbackLanguage: "en", storageKey: "language")
        for step in [signIn, signUp] {
            print(step.inputs, step.actions, step.components, step.isLoading, step.error ?? "")
            print(step.binding(for: "username").wrappedValue)
            step.submit(actionId: "go")
        }
    }
}
