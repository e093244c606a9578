import Foundation
import IdentityKit

/// The flows a server is delivered with (ThunderID shipped flows). Names of nodes, actions and inputs are the wire's. The
/// sign-in flow is in `FlowGraph+SignIn.swift`, those that begin with an invitation in `FlowGraph+Invitations.swift`.
extension FlowGraph {
    static func registration(_ registration: LocalThunderIDServer.RegistrationFlow) -> FlowGraph {
        let isInvited = registration.byInvitation
        var nodes: [String: FlowNode] = [
            "user_type_resolver": .task(
                .resolveUserType, onSuccess: "prompt_credentials", onIncomplete: "prompt_usertype"),
            "prompt_usertype": .prompt(userTypePrompt),
            "prompt_credentials": .prompt(registrationPrompt),
            "call_authentication": .call(.authentication, onSuccess: "end"),
            "credentials_auth": .task(
                .requireNewUser, onSuccess: "provisioning", onFailure: "prompt_credentials"),
            "provisioning": .task(
                .provision, onSuccess: registration.endsSignedIn ? "auth_assert" : "end",
                onIncomplete: "prompt_schema_attrs"),
            "prompt_schema_attrs": .prompt(schemaPrompt),
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

    /// What only an administrator's token opens, and no user's.
    static let administration = FlowGraph(
        start: "permission_check",
        nodes: ["permission_check": .task(.requirePermission("system"), onSuccess: "end"), "end": .end])
}

/// What each prompt asks and how it describes itself.
extension FlowGraph {
    static let credentialsPrompt = FlowPrompt(
        actions: [
            FlowAction(
                ref: "action_001", nextNode: "credentials_auth",
                inputs: [.text("username", ref: "input_001"), .password(ref: "input_002")]),
            FlowAction(ref: "action_forgot_password", nextNode: "call_recovery"),
            FlowAction(ref: "action_signup", nextNode: "call_registration"),
        ],
        components: [
            .logo,
            .heading("signin:forms.credentials.title"),
            .block([
                .field("username", id: "input_001", type: "TEXT_INPUT", texts: "signin:forms.credentials.fields"),
                .field("password", id: "input_002", type: "PASSWORD_INPUT", texts: "signin:forms.credentials.fields"),
                .link("forgot_password", action: "action_forgot_password", texts: "signin:forms.credentials.links"),
                .submit("action_001", text: "signin:forms.credentials.actions.submit.label"),
            ]),
            .link("sign_up", id: "rich_text_signup", action: "action_signup", texts: "signin:forms.credentials.links"),
        ])

    private static let userTypePrompt = FlowPrompt(
        actions: [
            FlowAction(
                ref: "action_usertype", nextNode: "user_type_resolver",
                inputs: [FlowInput(ref: "usertype_input", identifier: "userType", type: "SELECT")]),
            FlowAction(ref: "action_signin_usertype", nextNode: "call_authentication"),
        ],
        components: [
            .heading("signup:forms.user_type.title"),
            .block([
                .field("userType", id: "usertype_input", type: "SELECT", texts: "elements:fields"),
                .submit("action_usertype", text: "signup:forms.user_type.actions.continue.label"),
            ]),
        ])

    private static let registrationPrompt = FlowPrompt(
        actions: [
            FlowAction(
                ref: "action_credentials", nextNode: "credentials_auth",
                inputs: [.text("username", ref: "input_username"), .password(ref: "input_password")]),
            FlowAction(ref: "action_signin", nextNode: "call_authentication"),
        ],
        components: [
            .heading("signup:forms.credentials.title"),
            .block([
                .field("username", id: "input_username", type: "TEXT_INPUT", texts: "signup:forms.credentials.fields"),
                .field(
                    "password", id: "input_password", type: "PASSWORD_INPUT",
                    texts: "signup:forms.credentials.fields"),
                .submit("action_credentials", text: "signup:forms.credentials.actions.submit.label"),
            ]),
            .link("sign_in", action: "action_signin", texts: "signup:forms.credentials.links"),
        ])

    /// Its inputs are whatever the user type requires beyond the credentials.
    private static let schemaPrompt = FlowPrompt(
        actions: [FlowAction(ref: "action_schema_attrs", nextNode: "provisioning")],
        components: [
            .heading("signup:forms.credentials.complete_profile"),
            .block([
                FlowComponents.placeholder,
                .submit("action_schema_attrs", text: "signup:forms.credentials.actions.continue.label"),
            ]),
        ])

    private static let recoveryPrompt = FlowPrompt(
        actions: [
            FlowAction(
                ref: "action_submit_username", nextNode: "identify_user",
                inputs: [.text("username", ref: "input_username")]),
            FlowAction(ref: "action_signin", nextNode: "call_authentication"),
        ],
        components: [
            .heading("recovery:forms.username.title"),
            .block([
                .field("username", id: "input_username", type: "TEXT_INPUT", texts: "recovery:forms.username.fields"),
                .submit("action_submit_username", text: "recovery:forms.username.actions.submit.label"),
            ]),
        ])

    private static let newPasswordPrompt = FlowPrompt(
        actions: [
            FlowAction(
                ref: "action_submit_password", nextNode: "set_password", inputs: [.password(ref: "input_new_password")])
        ],
        components: [
            .heading("recovery:forms.new_password.title"),
            .block([
                .field(
                    "password", id: "input_new_password", type: "PASSWORD_INPUT",
                    texts: "recovery:forms.new_password.fields"),
                .submit("action_submit_password", text: "recovery:forms.new_password.actions.submit.label"),
            ]),
        ])

    /// Stored as text, as the shipped sign-out flow is.
    private static let signOutPrompt = FlowPrompt(
        actions: [FlowAction(ref: "action_confirm", nextNode: "end_session", type: "CONFIRM")],
        components: [
            .heading("signout:forms.confirm.title"),
            .block([.submit("action_confirm", text: "signout:forms.confirm.actions.submit.label")]),
        ], isDescribedAsText: true)
}
