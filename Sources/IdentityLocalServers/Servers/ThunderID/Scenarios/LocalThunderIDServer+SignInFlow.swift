extension LocalThunderIDServer {
    /// The sign-in flow that an administrator configured. The default is the built-in flow: a prompt for user name and
    /// password, then an assertion.
    ///
    /// ```swift
    /// let withCode = LocalThunderIDServer.SignInFlow(steps: [.oneTimeCode(.sms)])
    /// let withChoice = LocalThunderIDServer.SignInFlow(methods: [.password, .passkey], steps: [.consent()])
    /// ```
    public struct SignInFlow: Sendable {
        /// The sign-in methods. The user signs in with one of them. If there are several, the flow first lets the user
        /// choose (`LOGIN_OPTIONS`).
        public var methods: [Method]
        /// The steps after the sign-in method, in this order.
        public var steps: [Step]
        /// Whether the flow stores a single sign-on session, whose handle it sets in a cookie `tid_sso_*`.
        ///
        /// The flow then begins with a check for a session. With a session, the flow skips the method and the steps.
        /// Without a session, the first prompt has the error `FET-1081`.
        public var keepsSession: Bool
        /// The result of the flow after all steps.
        public var ending: Ending

        /// Creates a flow, by default the built-in flow with user name, password and assertion.
        public init(
            methods: [Method] = [.password], steps: [Step] = [], keepsSession: Bool = false,
            ending: Ending = .assertion
        ) {
            (self.methods, self.steps, self.keepsSession, self.ending) = (methods, steps, keepsSession, ending)
        }

        /// A method by which a user proves their identity. When the user chooses among several, `acr_values` can limit the
        /// choice by the methods' authentication classes.
        public enum Method: Sendable, Equatable {
            /// The built-in prompt for a user name and a password, with links to recovery and registration.
            case password
            /// A user name and a password without a prompt: the response has inputs but no actions. After a failure, the
            /// response has both inputs again, and an error.
            case promptlessPassword
            /// A user name, then a one-time code that the server sends to the user.
            case oneTimeCode(Channel)
            /// A user name, then a link in an e-mail.
            case magicLink
            /// A user name, then a passkey of that user.
            case passkey
            /// A passkey without a user name. The passkey identifies the user.
            case usernamelessPasskey
            /// A sign-in at another identity provider, in a browser.
            case federated(Connection)
        }

        /// A step that follows the sign-in method.
        public enum Step: Sendable {
            /// A one-time code as a second factor.
            case oneTimeCode(Channel)
            /// The registration of a new passkey of the user who signs in.
            case enrolPasskey
            /// Consent to the attributes that the application gets.
            case consent(Consent = Consent())
            /// A prompt for additional attributes of the user.
            case form(Form)
            /// A text without inputs and actions. The flow waits until the client continues it.
            case notice(String)
            /// A task that always fails. The flow call that reaches it returns `ERROR` and `FET-1028`.
            case refusal
        }

        /// Results of a finished flow.
        public enum Ending: Sendable, Equatable {
            /// `COMPLETE` with an assertion, which signs in the user.
            case assertion
            /// `COMPLETE` without an assertion or message.
            case nothing
            /// `COMPLETE` with a message and no assertion.
            case notice(String)
        }

        /// Channels through which the server sends one-time codes.
        public enum Channel: String, Sendable, CaseIterable {
            case sms
            case email
        }

        /// The attributes that require the user's consent.
        ///
        /// The server stores the consent for the user and the application. Later flows ask again only for an authorization
        /// request with `prompt=consent`, and for a backchannel authentication request (CIBA).
        public struct Consent: Sendable {
            /// Attributes that the application requires. If the user withholds one of them, the flow fails with `FET-1066`.
            public var essential: [String]
            /// Attributes that the user may withhold.
            public var optional: [String]
            /// The time that the user has for the decision. A later decision fails with `FET-1069`. `nil` for no limit.
            public var timeout: Duration?

            /// Creates a consent, by default with the e-mail address as essential, and given and family name as optional.
            public init(
                essential: [String] = ["email"], optional: [String] = ["given_name", "family_name"],
                timeout: Duration? = nil
            ) {
                (self.essential, self.optional, self.timeout) = (essential, optional, timeout)
            }
        }
    }
}
