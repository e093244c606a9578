import Foundation
import IdentityKit

/// The texts the flows and their errors refer to, by namespace and key; a real server has many more.
enum FlowTranslations {
    static let english = prompts.merging(["system": errors]) { $1 }

    private static let errors = APIError.translated.reduce(into: [String: String]()) { texts, error in
        texts[error.messageKey] = error.message
        texts[error.descriptionKey] = error.description
    }

    private static let prompts: [String: [String: String]] = [
        "elements": [
            "fields.usertype.label": "User type",
            "fields.usertype.placeholder": "Choose a user type",
            "fields.ouid.label": "Organization unit",
            "fields.ouid.placeholder": "Choose an organization unit",
        ],
        "signin": [
            "forms.credentials.title": "Sign In",
            "forms.credentials.fields.username.label": "Username",
            "forms.credentials.fields.username.placeholder": "Your username",
            "forms.credentials.fields.password.label": "Password",
            "forms.credentials.fields.password.placeholder": "Your password",
            "forms.credentials.actions.submit.label": "Sign In",
            "forms.credentials.links.forgot_password.prefix": "Password forgotten?",
            "forms.credentials.links.forgot_password.label": "Reset it",
            "forms.credentials.links.sign_up.prefix": "New here?",
            "forms.credentials.links.sign_up.label": "Sign up",
            "forms.choose_auth_method.title": "How would you like to sign in?",
            "forms.choose_auth_method.actions.password.label": "With a password",
            "forms.choose_auth_method.actions.promptless_password.label": "With a password",
            "forms.choose_auth_method.actions.sms_otp.label": "With a code by SMS",
            "forms.choose_auth_method.actions.email_otp.label": "With a code by e-mail",
            "forms.choose_auth_method.actions.magic_link.label": "With a link by e-mail",
            "forms.choose_auth_method.actions.passkey.label": "With a passkey",
            "forms.otp.title": "One More Step",
            "forms.otp.fields.otp.label": "Code",
            "forms.otp.fields.otp.placeholder": "The six digits we sent",
            "forms.otp.actions.submit.label": "Verify",
            "forms.otp.actions.resend.label": "Send another code",
            "forms.passkey.actions.submit.label": "Use a passkey",
            "forms.passkey.actions.continue.label": "Continue",
            "forms.passkey.register.actions.submit.label": "Create a passkey",
            "forms.magic_link.email_sent.title": "Check Your Email",
            "forms.consent.title": "May the application know this?",
            "forms.consent.consent_decisions.label": "What the application learns",
            "forms.consent.consent_decisions.placeholder": "",
            "forms.consent.actions.allow.label": "Allow",
            "forms.consent.actions.deny.label": "Deny",
            "images.app_logo.alt": "The application's logo",
        ],
        "signup": [
            "forms.credentials.title": "Sign Up",
            "forms.credentials.fields.username.label": "Username",
            "forms.credentials.fields.username.placeholder": "Choose a username",
            "forms.credentials.fields.password.label": "Password",
            "forms.credentials.fields.password.placeholder": "Choose a password",
            "forms.credentials.actions.submit.label": "Sign Up",
            "forms.credentials.actions.continue.label": "Continue",
            "forms.credentials.complete_profile": "More about you",
            "forms.email.fields.email.label": "E-mail",
            "forms.email.fields.email.placeholder": "Your e-mail address",
            "forms.user_type.title": "Choose a User Type",
            "forms.user_type.actions.continue.label": "Continue",
            "forms.credentials.links.sign_in.prefix": "Been here before?",
            "forms.credentials.links.sign_in.label": "Sign in",
        ],
        "signout": [
            "forms.confirm.title": "Leaving?",
            "forms.confirm.actions.submit.label": "Sign Out",
        ],
        "onboarding": [
            "forms.add_user.title": "A New User",
            "forms.add_user.fields.username.label": "Username",
            "forms.add_user.fields.username.placeholder": "Their username",
            "forms.add_user.fields.email.label": "E-mail",
            "forms.add_user.fields.email.placeholder": "Their e-mail address",
            "forms.onboarding_mode.actions.create.label": "Create now",
            "forms.invite_mode.actions.email.label": "Invite by e-mail",
            "forms.invite_mode.actions.link.label": "Make a link to share",
            "forms.invite_status.title": "Invitation Sent",
            "forms.invite_link_status.link_label": "Invitation link",
            "forms.complete_registration.title": "Welcome",
            "forms.complete_registration.fields.password.label": "Password",
            "forms.complete_registration.fields.password.placeholder": "Choose a password",
            "forms.complete_registration.fields.given_name.label": "First name",
            "forms.complete_registration.fields.given_name.placeholder": "What friends call you",
            "forms.complete_registration.actions.submit.label": "Finish",
            "forms.add_user_complete.title": "Registration Complete",
        ],
        "recovery": [
            "forms.username.title": "Password Recovery",
            "forms.username.fields.username.label": "Username",
            "forms.username.fields.username.placeholder": "Your username",
            "forms.username.actions.submit.label": "Send Link",
            "forms.email_sent.title": "Check Your Email",
            "forms.new_password.title": "New Password",
            "forms.new_password.fields.password.label": "New password",
            "forms.new_password.fields.password.placeholder": "Choose a password",
            "forms.new_password.actions.submit.label": "Set Password",
            "forms.complete.title": "Password Reset Successful",
        ],
    ]
}
