#if Tools
import Foundation
import IdentityKit

/// The texts the shipped flows refer to, by namespace and key; a real server has many more.
enum FlowTranslations {
    static let english: [String: [String: String]] = [
        "elements": [
            "fields.usertype.label": "User type",
            "fields.usertype.placeholder": "Choose a user type",
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
            "forms.user_type.title": "Choose a User Type",
            "forms.user_type.actions.continue.label": "Continue",
            "forms.credentials.links.sign_in.prefix": "Been here before?",
            "forms.credentials.links.sign_in.label": "Sign in",
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
#endif
