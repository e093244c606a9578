import IdentityKit

/// The built-in flows of a server (Backends/ThunderID.md#shipped-flows). Nodes, actions and inputs have ThunderID's
/// names. The sign-in flow is in `FlowGraph+SignIn.swift`, and the nodes for invitations are in
/// `FlowGraph+Invitations.swift`.
extension FlowGraph {
    static func registration(_ registration: LocalThunderIDServer.RegistrationFlow) -> FlowGraph {
        let isInvited = registration.byInvitation
        var nodes: [String: FlowNode] = [
            "user_type_resolver": .task(
                .resolveUserType, onSuccess: "prompt_credentials", onIncomplete: "prompt_usertype"),
            "prompt_usertype": .prompt(userTypePrompt),
            "prompt_credentials": .prompt(registrationPrompt),
            "call_authentication": .call(.authentication, onSuccess: "end"),
            "credentials_auth": .task(.requireNewUser, onSuccess: "provisioning", onFailure: "prompt_credentials"),
            "provisioning": .task(
                .provision, onSuccess: registration.endsSignedIn ? "auth_assert" : "end",
                onIncomplete: "prompt_schema_attrs"),
            "prompt_schema_attrs": .prompt(schemaPrompt("signup:forms.credentials.complete_profile")),
            "auth_assert": .task(.assert, onSuccess: "end"),
            "end": .end,
        ]
        if isInvited { nodes.merge(invitation(leadingTo: "user_type_resolver")) { $1 } }
        return FlowGraph(start: isInvited ? "prompt_email" : "user_type_resolver", nodes: nodes)
    }

    static let recovery = FlowGraph(
        start: "prompt_username",
        nodes: [
            "prompt_username": .prompt(recoveryPrompt),
            "call_authentication": .call(.authentication, onSuccess: "end"),
            "identify_user": .task(.identifyForRecovery, onSuccess: "email_sent_status"),
            "email_sent_status": .message(
                "Check Your Email",
                components: [.heading("recovery:forms.email_sent.title")],
                next: "verify_recovery_token"),
            "verify_recovery_token": .task(
                .verifyInvitation(ref: "input_recovery_token"), onSuccess: "prompt_new_password"),
            "prompt_new_password": .prompt(newPasswordPrompt),
            "set_password": .task(.setPassword, onSuccess: "password_reset_status"),
            "password_reset_status": .message(
                "Password Reset Successful",
                components: [.heading("recovery:forms.complete.title")],
                next: "end"),
            "end": .end,
        ])

    static func signOut(_ confirmation: LocalThunderIDServer.SignOutConfirmation) -> FlowGraph {
        FlowGraph(
            start: "end_session",
            nodes: [
                "end_session": .task(.endSession(confirmation), onSuccess: "end", onIncomplete: "prompt_confirm"),
                "prompt_confirm": .prompt(signOutPrompt),
                "end": .end,
            ])
    }

    /// A flow that requires the permission `system`. The flow endpoint refuses to start it for any caller (`FES-1017`).
    static let administration = FlowGraph(
        start: "permission_check",
        nodes: ["permission_check": .task(.requirePermission("system"), onSuccess: "end"), "end": .end])
}

/// The prompts of the built-in flows.
extension FlowGraph {
    static let credentialsPrompt: FlowPrompt = {
        let links = "signin:forms.credentials.links"
        var prompt = FlowPrompt.form(
            "signin:forms.credentials.title",
            FlowAction(
                ref: "action_001", nextNode: "credentials_auth",
                inputs: [.text("username", ref: "input_001"), .password(ref: "input_002")]),
            fields: "signin:forms.credentials.fields", submit: "signin:forms.credentials.actions.submit.label",
            others: [
                FlowAction(ref: "action_forgot_password", nextNode: "call_recovery"),
                FlowAction(ref: "action_signup", nextNode: "call_registration"),
            ],
            before: [.link("forgot_password", action: "action_forgot_password", texts: links)],
            below: [.link("sign_up", id: "rich_text_signup", action: "action_signup", texts: links)])
        prompt.components.insert(.logo, at: 0)
        return prompt
    }()

    private static let userTypePrompt = FlowPrompt.form(
        "signup:forms.user_type.title",
        FlowAction(
            ref: "action_usertype", nextNode: "user_type_resolver",
            inputs: [FlowInput(ref: "usertype_input", identifier: "userType", type: "SELECT")]),
        fields: "elements:fields", submit: "signup:forms.user_type.actions.continue.label",
        others: [FlowAction(ref: "action_signin_usertype", nextNode: "call_authentication")])

    private static let registrationPrompt = FlowPrompt.form(
        "signup:forms.credentials.title",
        FlowAction(
            ref: "action_credentials", nextNode: "credentials_auth",
            inputs: [.text("username", ref: "input_username"), .password(ref: "input_password")]),
        fields: "signup:forms.credentials.fields", submit: "signup:forms.credentials.actions.submit.label",
        others: [FlowAction(ref: "action_signin", nextNode: "call_authentication")],
        below: [.link("sign_in", action: "action_signin", texts: "signup:forms.credentials.links")])

    /// Returns a prompt for the attributes that the task `provision` found missing, such as the email address.
    static func schemaPrompt(_ heading: String? = nil) -> FlowPrompt {
        .form(
            heading, FlowAction(ref: "action_schema_attrs", nextNode: "provisioning"),
            submit: "signup:forms.credentials.actions.continue.label", before: [FlowComponents.placeholder])
    }

    private static let recoveryPrompt = FlowPrompt.form(
        "recovery:forms.username.title",
        FlowAction(
            ref: "action_submit_username", nextNode: "identify_user", inputs: [.text("username", ref: "input_username")]
        ),
        fields: "recovery:forms.username.fields", submit: "recovery:forms.username.actions.submit.label",
        others: [FlowAction(ref: "action_signin", nextNode: "call_authentication")])

    private static let newPasswordPrompt = FlowPrompt.form(
        "recovery:forms.new_password.title",
        FlowAction(
            ref: "action_submit_password", nextNode: "set_password", inputs: [.password(ref: "input_new_password")]),
        fields: "recovery:forms.new_password.fields", submit: "recovery:forms.new_password.actions.submit.label")

    /// The prompt of the sign-out flow. Its components are sent as a JSON text, as in ThunderID.
    private static let signOutPrompt: FlowPrompt = {
        var prompt = FlowPrompt.form(
            "signout:forms.confirm.title",
            FlowAction(ref: "action_confirm", nextNode: "end_session", type: "CONFIRM"),
            submit: "signout:forms.confirm.actions.submit.label")
        prompt.isDescribedAsText = true
        return prompt
    }()
}
