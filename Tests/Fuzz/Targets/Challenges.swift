import Foundation
import IdentityKit

@testable import IdentityOAuth

/// Header fields of answers: challenges and dates, one to a line.
enum Challenges {
    @Sendable static func read(_ input: FuzzInput) {
        for line in input.text.split(separator: "\n", maxSplits: 3) {
            for challenge in AuthenticationChallenge.parse(String(line)) {
                rule(!challenge.scheme.isEmpty, "a challenge without a scheme")
                rule(challenge.parameters.keys.allSatisfy { $0 == $0.lowercased() }, "a name in upper case")
                if let error = challenge.parameters["error"] {
                    let refusal = ErrorResponse(
                        error: OAuthErrorCode(rawValue: error),
                        errorDescription: challenge.parameters["error_description"], status: 401)
                    OAuthError.refused(refusal).tell()
                }
            }
            if let date = HTTPDate.parse(String(line)) {
                rule(date.timeIntervalSince1970 >= 0, "a date before 1970")
                _ = ClockOffset(serverDate: date, sentAt: .distantPast, receivedAt: .distantFuture).serverTime(at: date)
            }
        }
    }
}
