import Foundation
import IdentityKit

/// A line of `identity events`: the time, name, level and message of an event. Each of the other members is `nil` if the
/// event has no such value.
struct EventLine: Codable {
    let time: Date
    let event: String
    let level: String
    let message: String
    let provider: String?
    let account: String?
    let resource: String?
    let grant: String?
    let errorCode: String?

    init(_ details: EventDetails, at time: Date) {
        (self.time, event, level, message) = (time, details.name, details.level.rawValue, details.message)
        (provider, account) = (details[.provider], details[.account])
        (resource, grant) = (details[.resource], details[.grant])
        errorCode = details.errorCode
    }

    var text: String { "\(time.formatted(.iso8601))  \(event)  \(message)" }
}
