import IdentityKit

/// Flows that a person continues through the link of an invitation.
extension FlowGraph {
    /// Returns the first nodes of a registration by invitation. They ask for an email address, send a link to it, and verify
    /// the token of the link.
    static func invitation(leadingTo next: String) -> [String: FlowNode] {
        [
            "prompt_email": .prompt(
                .form(
                    "signup:forms.credentials.title",
                    FlowAction(
                        ref: "action_email", nextNode: "send_invitation",
                        inputs: [FlowInput(ref: "input_email", identifier: "email", type: "EMAIL_INPUT")]),
                    fields: "signup:forms.email.fields",
                    submit: "signup:forms.credentials.actions.continue.label")),
            "send_invitation": .task(.mailInvitation, onSuccess: "invitation_sent_status"),
            "invitation_sent_status": .message(
                "Check Your Email", components: [.heading("recovery:forms.email_sent.title")],
                next: "verify_invitation"),
            "verify_invitation": .task(.verifyInvitation(ref: "input_invite_token"), onSuccess: next),
        ]
    }

    /// The flow in which an administrator creates a user or invites a person. The invited person continues the same execution.
    static let onboarding = FlowGraph(
        start: "permission_check",
        nodes: [
            "permission_check": .task(.requirePermission("system:user"), onSuccess: "user_type_resolver"),
            "user_type_resolver": .task(.resolveUserType, onSuccess: "ou_resolver", onIncomplete: "prompt_usertype"),
            "prompt_usertype": .prompt(
                question(
                    FlowInput(ref: "usertype_input", identifier: "userType", type: "SELECT"), "action_usertype",
                    next: "user_type_resolver")),
            "ou_resolver": .task(.resolveOrganizationUnit, onSuccess: "prompt_user", onIncomplete: "prompt_ou"),
            "prompt_ou": .prompt(
                question(
                    FlowInput(ref: "ou_input", identifier: "ouId", type: "OU_SELECT"), "action_ou", next: "ou_resolver")
            ),
            "prompt_user": .prompt(newUserPrompt),
            "mail_invitation": .task(.mailInvitation, onSuccess: "invitation_status"),
            "share_invitation": .task(.shareInvitation, onSuccess: "invitation_status"),
            "invitation_status": .message(
                "Invitation Sent", components: [.heading("onboarding:forms.invite_status.title"), .inviteLink],
                next: "verify_invitation"),
            "verify_invitation": .task(.verifyInvitation(ref: "input_invite_token"), onSuccess: "prompt_password"),
            "prompt_password": .prompt(invitedUserPrompt),
            "provisioning": .task(.provision, onSuccess: "completion_status", onIncomplete: "prompt_schema_attrs"),
            "prompt_schema_attrs": .prompt(schemaPrompt()),
            "completion_status": .message(
                "Registration complete", components: [.heading("onboarding:forms.add_user_complete.title")], next: "end"
            ),
            "end": .end,
        ])

    private static func question(_ input: FlowInput, _ action: String, next: String) -> FlowPrompt {
        .form(
            nil, FlowAction(ref: action, nextNode: next, inputs: [input]), fields: "elements:fields",
            submit: "signup:forms.user_type.actions.continue.label")
    }

    private static let newUserPrompt: FlowPrompt = {
        let inputs = [
            .text("username", ref: "input_username"),
            FlowInput(ref: "input_email", identifier: "email", type: "EMAIL_INPUT"),
        ]
        let ways = [
            ("action_create_user", "prompt_password", "onboarding_mode.actions.create"),
            ("action_invite_by_email", "mail_invitation", "invite_mode.actions.email"),
            ("action_share_link", "share_invitation", "invite_mode.actions.link"),
        ]
        return FlowPrompt(
            actions: ways.map { FlowAction(ref: $0.0, nextNode: $0.1, inputs: inputs) },
            components: [
                .heading("onboarding:forms.add_user.title"),
                .block(
                    inputs.map { .field($0, texts: "onboarding:forms.add_user.fields") }
                        + ways.map { .choice($0.0, label: .translated("onboarding:forms.\($0.2).label")) }),
            ])
    }()

    private static let invitedUserPrompt = FlowPrompt.form(
        "onboarding:forms.complete_registration.title",
        FlowAction(
            ref: "action_set_password", nextNode: "provisioning",
            inputs: [
                .password(ref: "input_password"),
                FlowInput(ref: "input_given_name", identifier: "given_name", isRequired: false),
            ]),
        fields: "onboarding:forms.complete_registration.fields",
        submit: "onboarding:forms.complete_registration.actions.submit.label")
}
