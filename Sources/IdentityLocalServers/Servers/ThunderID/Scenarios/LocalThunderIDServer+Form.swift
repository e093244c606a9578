import IdentityKit

extension LocalThunderIDServer {
    /// A prompt that an administrator wrote: its inputs, its actions, and its description for a user interface.
    ///
    /// The server stores an entered value in the user's record if the input's identifier is an attribute of the user type.
    public struct Form: Sendable {
        /// The inputs, in the order in which the prompt asks for them.
        public var inputs: [FlowInput]
        /// The `ref` of each action. All actions have the same inputs and lead to the same node. If the form has inputs and
        /// only one action, a client need not name the action.
        public var actions: [String]
        /// Components of any type. In `data.meta`, they precede the component that the server generates for the inputs and
        /// actions.
        public var components: [JSONValue]
        /// Whether `data.meta` is a string with JSON instead of an object, as in some stored flows.
        public var isDescribedAsText: Bool

        /// Creates a prompt. With the default action, a client that sends inputs need not name an action.
        public init(
            inputs: [FlowInput], actions: [String] = ["action_form"], components: [JSONValue] = [],
            isDescribedAsText: Bool = false
        ) {
            (self.inputs, self.actions, self.components) = (inputs, actions, components)
            self.isDescribedAsText = isDescribedAsText
        }

        /// A form with validated values: a postcode with one rule and its message, a nickname with three rules without
        /// messages, and an optional phone number without rules.
        public static let validated = Form(inputs: [
            FlowInput(
                ref: "input_postcode", identifier: "postcode",
                validation: [.init(.regex("^[0-9]{5}$"), message: "Five digits, please.")]),
            FlowInput(
                ref: "input_nickname", identifier: "nickname",
                validation: [.init(.minLength(3)), .init(.regex("^[a-z]+$")), .init(.maxLength(8))]),
            FlowInput(ref: "input_phone", identifier: "mobile_number", type: "PHONE_INPUT", isRequired: false),
        ])

        /// A form with an input of every known type except `CONSENT_INPUT`, inputs of an unknown type and without a type,
        /// and components of unknown types (Backends/ThunderID.md#a-response).
        public static let everyKindOfInput = Form(
            inputs: [
                "TEXT_INPUT", "EMAIL_INPUT", "PASSWORD_INPUT", "OTP_INPUT", "PHONE_INPUT", "HIDDEN", "NUMBER_INPUT",
                "DATE_INPUT", "BOOLEAN_INPUT", "string", "RETINA_SCAN",
            ].map { FlowInput(ref: "input_" + $0.lowercased(), identifier: $0.lowercased(), type: $0) } + [
                FlowInput(identifier: "colour", type: "SELECT", options: ["red", "green", "blue"]),
                FlowInput(
                    ref: "input_ou", identifier: "ouId", type: "OU_SELECT", isRequired: false,
                    options: [PersonSchema.organizationUnitID]),
                FlowInput(ref: "input_untyped", identifier: "untyped", type: "", isRequired: false),
            ],
            actions: ["action_save", "action_save_later"],
            components: [
                ["id": "hologram_1", "type": "HOLOGRAM", "depth": 3],
                [
                    "id": "carousel_1", "type": "CAROUSEL",
                    "components": [["id": "slide_1", "type": "TEXT", "label": "Nice to see you"]],
                ],
                ["id": "typeless_1"],
            ])
    }
}
