extension LocalThunderIDServer {
    /// The sign-in flow of an administrator. The default is the built-in one: user name, password, assertion.
    ///
    /// ```swift
    /// let withCode = LocalThunderIDServer.SignInFlow(steps: [.oneTimeCode(.sms)])
    /// let withChoice = LocalThunderIDServer.SignInFlow(methods: [.password, .passkey], steps: [.consent()])
    /// ```
    public struct SignInFlow: Sendable {
        /// The ways to sign in. If there are several, a chooser offers them (`LOGIN_OPTIONS`).
        public var methods: [Method]
        /// The steps after the sign-in method, in this order.
        public var steps: [Step]
        /// Whether the flow keeps a single sign-on session in a cookie `tid_sso_*`, and first looks for one. A browser
        /// without a session gets the first prompt together with the error `FET-1081`.
        public var keepsSession: Bool
        public var ending: Ending

        /// Creates a flow, by default with user name, password and assertion.
        public init(
            methods: [Method] = [.password], steps: [Step] = [], keepsSession: Bool = false,
            ending: Ending = .assertion
        ) {
            (self.methods, self.steps, self.keepsSession, self.ending) = (methods, steps, keepsSession, ending)
        }

        /// A way to prove one's identity.
        public enum Method: Sendable, Equatable {
            /// The built-in prompt for a user name and a password, with links to recovery and registration.
            case password
            /// User name and password requested by the task itself: no prompt, no actions, and after a failure the same
            /// inputs with an error.
            case promptlessPassword
            /// A username, then a code.
            case oneTimeCode(Channel)
            /// A username, then a link in an e-mail.
            case magicLink
            /// A username, then a passkey of that user.
            case passkey
            /// A passkey that identifies its user.
            case usernamelessPasskey
            /// Sign-in at another identity provider, in a browser.
            case federated(Connection)
        }

        /// A step between the sign-in method and the end.
        public enum Step: Sendable {
            /// A code as a second factor.
            case oneTimeCode(Channel)
            /// The creation of a passkey.
            case enrolPasskey
            /// Consent to the attributes that the application gets.
            case consent(Consent = Consent())
            case form(Form)
            /// A text without inputs or choices.
            case notice(String)
            /// A failure that the flow does not handle: `ERROR` with `FET-1028`.
            case refusal
        }

        /// Results of a finished flow.
        public enum Ending: Sendable, Equatable {
            case assertion
            /// `COMPLETE` without an assertion or message.
            case nothing
            /// `COMPLETE` with a message and no assertion.
            case notice(String)
        }

        /// How a message reaches a person.
        public enum Channel: String, Sendable, CaseIterable {
            case sms
            case email
        }

        /// Attributes and permissions that require consent. Without `prompt=consent`, a flow asks only once.
        public struct Consent: Sendable {
            /// Attributes that the application requires: if one is refused, the flow fails with `FET-1066`.
            public var essential: [String]
            /// Attributes that the person may withhold.
            public var optional: [String]
            /// The time for the decision, after which the flow fails with `FET-1069`; `nil` for no limit.
            public var timeout: Duration?

            /// Creates a consent, by default with the e-mail address as essential.
            public init(
                essential: [String] = ["email"], optional: [String] = ["given_name", "family_name"],
                timeout: Duration? = nil
            ) {
                (self.essential, self.optional, self.timeout) = (essential, optional, timeout)
            }
        }
    }
}
