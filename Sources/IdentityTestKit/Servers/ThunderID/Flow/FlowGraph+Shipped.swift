#if Tools
import Foundation
import IdentityKit

/// The flows a server is delivered with (ThunderID shipped flows). Names of nodes, actions and inputs are the wire's.
extension FlowGraph {
    static func shipped(_ type: FlowType) -> FlowGraph {
        switch type {
        case .authentication: authentication
        case .registration: registration
        case .recovery: recovery
        case .signOut: signOut
        case .userOnboarding, .administration: restricted
        }
    }

    private static let authentication = FlowGraph(
        start: "prompt_credentials",
        nodes: [
            "prompt_credentials": .prompt(credentialsPrompt),
            "credentials_auth": .task(
                .authenticate, onSuccess: "authorization_check", onIncomplete: "prompt_credentials"),
            "call_recovery": .call(.recovery, onSuccess: "end"),
            "call_registration": .call(.registration, onSuccess: "authorization_check"),
            "authorization_check": .task(.authorize, onSuccess: "auth_assert"),
            "auth_assert": .task(.assert, onSuccess: "end"),
            "end": .end,
        ])

    private static let registration = FlowGraph(
        start: "user_type_resolver",
        nodes: [
            "user_type_resolver": .task(
                .resolveUserType, onSuccess: "prompt_credentials", onIncomplete: "prompt_usertype"),
            "prompt_usertype": .prompt(userTypePrompt),
            "prompt_credentials": .prompt(registrationPrompt),
            "call_authentication": .call(.authentication, onSuccess: "end"),
            "credentials_auth": .task(
                .requireNewUser, onSuccess: "provisioning", onFailure: "prompt_credentials"),
            "provisioning": .task(.provision, onSuccess: "end", onIncomplete: "prompt_schema_attrs"),
            "prompt_schema_attrs": .prompt(schemaPrompt),
            "end": .end,
        ])

    private static let recovery = FlowGraph(
        start: "prompt_username",
        nodes: [
            "prompt_username": .prompt(recoveryPrompt),
            "call_authentication": .call(.authentication, onSuccess: "end"),
            "identify_user": .task(.identifyForRecovery, onSuccess: "email_sent_status"),
            "email_sent_status": .message(
                "Check Your Email",
                components: [.heading("recovery:forms.email_sent.title")],
                next: "verify_recovery_token"),
            "verify_recovery_token": .task(.verifyRecoveryToken, onSuccess: "prompt_new_password"),
            "prompt_new_password": .prompt(newPasswordPrompt),
            "set_password": .task(.setPassword, onSuccess: "password_reset_status"),
            "password_reset_status": .message(
                "Password Reset Successful",
                components: [.heading("recovery:forms.complete.title")],
                next: "end"),
            "end": .end,
        ])

    private static let signOut = FlowGraph(
        start: "end_session", nodes: ["end_session": .task(.endSession, onSuccess: "end"), "end": .end])

    /// What only an administrator's token opens, and no user's.
    private static let restricted = FlowGraph(
        start: "permission_check",
        nodes: ["permission_check": .task(.requirePermission, onSuccess: "end"), "end": .end])
}

/// What each prompt asks and how it describes itself.
extension FlowGraph {
    private static let credentialsPrompt = FlowPrompt(
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
}
#endif
