import Foundation
import IdentityKit

/// The latest one-time code of a flow execution, and the number of codes that the execution has made.
struct OneTimeCode: Sendable {
    static let length = 6

    /// The digits of the latest code; `nil` after their use.
    var text: String?
    var expiresAt = Date.distantPast
    /// The number of codes that the execution has made, at most three.
    var count = 0
}

extension FlowTaskRunner {
    private static let mostCodes = 3
    private static let lifetime: Duration = .seconds(120)

    /// Makes a code of six digits, which replaces an earlier one and is valid for two minutes. Fails after three codes
    /// (`FET-1009`).
    func generateCode(_ execution: inout FlowExecution) -> Outcome {
        var code = execution.code ?? OneTimeCode()
        guard code.count < Self.mostCodes else { return .failure(.tooManyCodes) }
        code.count += 1
        code.text = (0..<OneTimeCode.length).map { _ in String(Int.random(in: 0...9)) }.joined()
        code.expiresAt = time.now + Self.lifetime.timeInterval
        execution.code = code
        execution.inputs["otp"] = nil
        execution.additionalData["otpLength"] = String(OneTimeCode.length)
        execution.additionalData["otpNumericOnly"] = "true"
        return .success
    }

    /// Sends the code by SMS or email. The outbox records the message.
    func sendCode(by channel: FlowTask.Channel, _ execution: inout FlowExecution) -> Outcome {
        guard let user = execution.userID.flatMap(users.user(id:)), let code = execution.code?.text else {
            return .failure(.userNotFound)
        }
        outbox.send(
            .init(
                purpose: .oneTimeCode, channel: channel, recipient: user.address(for: channel),
                executionID: execution.id, secret: Secret(code)))
        execution.additionalData[channel == .sms ? "smsSent" : "emailSent"] = "true"
        return .success
    }

    func verifyCode(of channel: FlowTask.Channel, _ execution: inout FlowExecution) -> Outcome {
        guard let sent = execution.inputs.removeValue(forKey: "otp"), let code = execution.code, code.text == sent,
            time.now < code.expiresAt
        else { return .needs([], .invalidCode) }
        execution.code?.text = nil
        note(channel == .sms ? "SMSOTPAuthenticator" : "OTPAuthenticator", &execution)
        return .success
    }
}

extension ThunderIDUser {
    /// Returns the user's phone number or email address, or the user name if that is missing. The outbox accepts any text.
    func address(for channel: FlowTask.Channel) -> String {
        let attribute = channel == .sms ? "mobile_number" : "email"
        return attributes[attribute]?.stringValue ?? username
    }
}
