import IdentityKit

/// The sign-in flow that a configuration describes. The default configuration gives ThunderID's built-in flow, node for
/// node.
extension FlowGraph {
    static func signIn(_ flow: LocalThunderIDServer.SignInFlow) -> FlowGraph {
        var builder = SignInGraphBuilder()
        builder.build(flow)
        return FlowGraph(start: builder.start, nodes: builder.nodes)
    }
}

/// Adds the nodes of a sign-in flow from its end to its start, so that the name of each next node is known.
private struct SignInGraphBuilder {
    typealias Flow = LocalThunderIDServer.SignInFlow

    var nodes: [String: FlowNode] = ["end": .end]
    var start = "end"

    mutating func build(_ flow: Flow) {
        var next = addEnding(flow.ending)
        // A person who has just registered skips the steps of the sign-in and gets no session. A person with a session
        // also skips the steps, because a session is opened only after all steps are done.
        nodes["call_recovery"] = .call(.recovery, onSuccess: "end")
        nodes["call_registration"] = .call(.registration, onSuccess: next)
        if flow.keepsSession {
            nodes["session"] = .task(.keepSession, onSuccess: next)
            next = "session"
        }
        let afterSession = next
        for (index, step) in flow.steps.enumerated().reversed() { next = add(step, index + 1, leadingTo: next) }
        let methods = flow.methods.map { add($0, leadingTo: next) }
        start = methods.count == 1 ? methods[0] : addChooser(of: flow.methods, methods)
        if flow.keepsSession {
            nodes["sso_check"] = .task(.checkSession, onSuccess: afterSession, onFailure: start)
            start = "sso_check"
        }
    }

    private mutating func addEnding(_ ending: Flow.Ending) -> String {
        switch ending {
        case .assertion:
            nodes["authorization_check"] = .task(.authorize, onSuccess: "auth_assert")
            nodes["auth_assert"] = .task(.assert, onSuccess: "end")
            return "authorization_check"
        case .nothing:
            return "end"
        case .notice(let text):
            nodes["final_notice"] = .message(text, components: [.sentence(text)], next: "end")
            return "final_notice"
        }
    }

    private mutating func addChooser(of methods: [Flow.Method], _ starts: [String]) -> String {
        let actions = zip(methods, starts).map { method, start in
            FlowAction(ref: method.action, nextNode: start, authenticationClass: method.authenticationClass)
        }
        let choices = methods.map { JSONValue.choice($0.action, label: $0.label) }
        nodes["login_options"] = .prompt(
            FlowPrompt(
                actions: actions,
                components: [
                    .heading("signin:forms.choose_auth_method.title"),
                    .block(choices),
                ], isChooser: true))
        return "login_options"
    }

    private mutating func add(_ method: Flow.Method, leadingTo next: String) -> String {
        switch method {
        case .password:
            nodes["prompt_credentials"] = .prompt(FlowGraph.credentialsPrompt)
            nodes["credentials_auth"] = .task(.authenticate, onSuccess: next, onIncomplete: "prompt_credentials")
            return "prompt_credentials"
        case .promptlessPassword:
            nodes["bare_credentials_auth"] = .task(.authenticate, onSuccess: next)
            return "bare_credentials_auth"
        case .oneTimeCode(let channel):
            return addIdentification("\(channel.rawValue)_otp", leadingTo: addCode(channel, "login", leadingTo: next))
        case .magicLink:
            nodes["prompt_magic_link"] = .prompt(identifierPrompt("magic_link", next: "send_magic_link"))
            nodes["send_magic_link"] = .task(.sendMagicLink, onSuccess: "magic_link_sent_status")
            nodes["magic_link_sent_status"] = .message(
                "Check Your Email", components: [.heading("signin:forms.magic_link.email_sent.title")],
                next: "verify_magic_link")
            nodes["verify_magic_link"] = .task(.verifyMagicLink, onSuccess: next)
            return "prompt_magic_link"
        case .passkey:
            return addIdentification("passkey", leadingTo: addPasskey("passkey", leadingTo: next))
        case .usernamelessPasskey:
            return addPasskey("usernameless_passkey", leadingTo: next)
        case .federated(let connection):
            let name = "federated_" + connection.name.lowercased()
            nodes[name] = .task(.federate(connection), onSuccess: next)
            return name
        }
    }

    private mutating func addIdentification(_ name: String, leadingTo next: String) -> String {
        nodes["prompt_\(name)_user"] = .prompt(identifierPrompt(name, next: "identify_\(name)_user"))
        nodes["identify_\(name)_user"] = .task(
            .identify, onSuccess: next, onIncomplete: "prompt_\(name)_user", onFailure: "prompt_\(name)_user")
        return "prompt_\(name)_user"
    }

    private func identifierPrompt(_ name: String, next: String) -> FlowPrompt {
        .form(
            "signin:forms.credentials.title",
            FlowAction(
                ref: "action_\(name)_username", nextNode: next, inputs: [.text("username", ref: "input_username")]),
            fields: "signin:forms.credentials.fields", submit: "signin:forms.passkey.actions.continue.label")
    }

    private mutating func addCode(_ channel: Flow.Channel, _ name: String, leadingTo next: String) -> String {
        let prefix = "\(name)_\(channel.rawValue)_otp"
        nodes["generate_" + prefix] = .task(.generateCode, onSuccess: "send_" + prefix)
        nodes["send_" + prefix] = .task(.sendCode(channel), onSuccess: "prompt_" + prefix)
        nodes["prompt_" + prefix] = .prompt(
            .form(
                "signin:forms.otp.title",
                FlowAction(
                    ref: "action_verify_otp", nextNode: "verify_" + prefix,
                    inputs: [FlowInput(ref: "otp_input", identifier: "otp", type: "OTP_INPUT")]),
                fields: "signin:forms.otp.fields", submit: "signin:forms.otp.actions.submit.label",
                others: [FlowAction(ref: "action_resend_otp", nextNode: "generate_" + prefix)],
                after: [.choice("action_resend_otp", label: .translated("signin:forms.otp.actions.resend.label"))]))
        nodes["verify_" + prefix] = .task(.verifyCode(channel), onSuccess: next, onIncomplete: "prompt_" + prefix)
        return "generate_" + prefix
    }

    private mutating func addPasskey(_ name: String, leadingTo next: String) -> String {
        nodes["challenge_" + name] = .task(.challengePasskey, onSuccess: "prompt_" + name)
        nodes["prompt_" + name] = .prompt(
            .form(
                nil,
                FlowAction(
                    ref: "action_passkey", nextNode: "verify_" + name, inputs: FlowTaskRunner.passkeyAssertion),
                submit: "signin:forms.passkey.actions.submit.label"))
        nodes["verify_" + name] = .task(.verifyPasskey, onSuccess: next, onIncomplete: "prompt_" + name)
        return "challenge_" + name
    }

    private mutating func add(_ step: Flow.Step, _ number: Int, leadingTo next: String) -> String {
        switch step {
        case .oneTimeCode(let channel):
            return addCode(channel, "mfa_\(number)", leadingTo: next)
        case .enrolPasskey:
            let names = ["offer_passkey", "prompt_new_passkey", "register_passkey"].map { free($0, number) }
            nodes[names[0]] = .task(.offerPasskey, onSuccess: names[1])
            nodes[names[1]] = .prompt(
                .form(
                    nil,
                    FlowAction(
                        ref: "action_register_passkey", nextNode: names[2],
                        inputs: FlowTaskRunner.passkeyCreation),
                    submit: "signin:forms.passkey.register.actions.submit.label"))
            nodes[names[2]] = .task(.registerPasskey, onSuccess: next, onIncomplete: names[1])
            return names[0]
        case .consent(let consent):
            let (check, prompt) = (free("consent_check", number), free("prompt_consent", number))
            nodes[check] = .task(.askConsent(consent), onSuccess: next, onIncomplete: prompt)
            nodes[prompt] = .prompt(Self.consentPrompt(leadingTo: check))
            return check
        case .form(let form):
            nodes["form_\(number)"] = .prompt(FlowPrompt(form, next: "collect_\(number)"))
            nodes["collect_\(number)"] = .task(.collectAttributes, onSuccess: next)
            return "form_\(number)"
        case .notice(let text):
            nodes["notice_\(number)"] = .message(text, components: [.sentence(text)], next: next)
            return "notice_\(number)"
        case .refusal:
            nodes["refusal_\(number)"] = .task(.refuse(.authorizationFailed), onSuccess: next)
            return "refusal_\(number)"
        }
    }

    /// The name of a node, with the number of its step if a later step of the flow already has a node of this name.
    private func free(_ name: String, _ number: Int) -> String { nodes[name] == nil ? name : "\(name)_\(number)" }

    private static func consentPrompt(leadingTo next: String) -> FlowPrompt {
        let input = FlowInput(ref: "input_consent", identifier: "consent_decisions", type: "CONSENT_INPUT")
        let decisions = ["allow", "deny"]
        return FlowPrompt(
            actions: decisions.map {
                FlowAction(ref: "consent_action_" + $0, nextNode: next, inputs: [input])
            },
            components: [
                .heading("signin:forms.consent.title"),
                .block(
                    [.field(input, texts: "signin:forms.consent")]
                        + decisions.map {
                            .choice(
                                "consent_action_" + $0, label: .translated("signin:forms.consent.actions.\($0).label"))
                        }),
            ])
    }
}

extension LocalThunderIDServer.SignInFlow.Method {
    /// The label of the method's button in the chooser.
    fileprivate var label: JSONValue {
        switch self {
        case .federated(let connection): .string("Continue with \(connection.name)")
        case .passkey, .usernamelessPasskey: Self.label("passkey")
        default: Self.label(action.dropFirst("action_".count))
        }
    }

    private static func label(_ name: some StringProtocol) -> JSONValue {
        .translated("signin:forms.choose_auth_method.actions.\(name).label")
    }

    /// The `ref` of the method's action in the chooser.
    fileprivate var action: String {
        switch self {
        case .password: "action_password"
        case .promptlessPassword: "action_promptless_password"
        case .oneTimeCode(let channel): "action_\(channel.rawValue)_otp"
        case .magicLink: "action_magic_link"
        case .passkey: "action_passkey_login"
        case .usernamelessPasskey: "action_usernameless_passkey"
        case .federated(let connection): "action_" + connection.name.lowercased()
        }
    }

    /// The authentication class by which `acr_values` can request the method. Several methods can have the same class.
    fileprivate var authenticationClass: String {
        switch self {
        case .password, .promptlessPassword: "urn:thunder:acr:password"
        case .oneTimeCode, .magicLink: "urn:thunder:acr:generated-code"
        case .passkey, .usernamelessPasskey: "urn:thunder:acr:biometrics"
        case .federated: "urn:thunder:acr:federated"
        }
    }
}

extension FlowPrompt {
    fileprivate init(_ form: LocalThunderIDServer.Form, next: String) {
        self.init(
            actions: form.actions.map { FlowAction(ref: $0, nextNode: next, inputs: form.inputs) },
            components: form.components + [
                .block(
                    form.inputs.filter { $0.ref != nil }.map { .field($0, label: .string($0.identifier)) }
                        + [FlowComponents.placeholder]
                        + form.actions.map { .choice($0, label: .string($0)) })
            ],
            isDescribedAsText: form.isDescribedAsText)
    }
}
