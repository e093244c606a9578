import Foundation
import IdentityKit
import IdentityOAuth
import Testing

@Suite("Clock offset (RFC 9110 section 6.6.1)")
struct ClockOffsetTests {
    @Test(
        "the Date of a response says how far the clocks differ",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777, 784_111_777, 0.0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_776.2, 784_111_778.9, 0.0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_108_177, 784_108_178, 3600.0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_115_377, 784_115_377, -3599.5),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199, 1_709_251_199.5, 0.0),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200, 1_709_251_200, 0.0),
            ("Wed, 31 Dec 1999 23:59:60 GMT", 946_684_800, 946_684_800, 0.0),
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400, 4_107_542_400, 0.0),
        ])
    func offsets(header: String, sentAt: Double, receivedAt: Double, expected: Double) throws {
        let (_, response) = try httpResponse("", headers: ["Date": header])
        let offset = try #require(
            ClockOffset(
                response, sentAt: Date(timeIntervalSince1970: sentAt),
                receivedAt: Date(timeIntervalSince1970: receivedAt)))
        #expect(abs(offset.seconds - expected) < 0.001)
    }

    @Test(
        "a Date that cannot be read teaches nothing",
        arguments: [
            "", "now", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Non 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        ])
    func unreadable(header: String) throws {
        let (_, response) = try httpResponse("", headers: ["Date": header])
        #expect(ClockOffset(response, sentAt: Date(), receivedAt: Date()) == nil)
    }

    // MARK: From a token

    private static func token(issuedAt: Int) throws -> JSONWebToken {
        let parts = [#"{"alg":"ES256"}"#, #"{"iat":\#(issuedAt)}"#, "signature"]
        return try JSONWebToken(Secret(parts.map { Base64URL.encode(Data($0.utf8)) }.joined(separator: ".")))
    }

    @Test(
        "Without Date, what was just issued says the server's time",
        arguments: [3700, -3700, 315_360_000, -315_360_000])
    func token(ahead: Int) throws {
        let now = Date(timeIntervalSince1970: 1_000_000_000)
        let token = try Self.token(issuedAt: 1_000_000_000 + ahead)
        let learnt = ClockOffset(serverDate: nil, newToken: token, sentAt: now, receivedAt: now)
        #expect(abs(learnt.seconds - TimeInterval(ahead)) <= 1)
        let older = try Self.token(issuedAt: 999_999_000 + ahead)
        #expect(
            ClockOffset(serverDate: nil, newToken: token, after: older, sentAt: now, receivedAt: now).seconds
                == learnt.seconds)
    }

    @Test("Date counts before a token, and a token that was there before teaches nothing")
    func repeated() throws {
        let now = Date(timeIntervalSince1970: 1_000_000_000)
        let token = try Self.token(issuedAt: 1_000_003_700)
        #expect(ClockOffset(serverDate: now, newToken: token, sentAt: now, receivedAt: now) == .none)
        #expect(ClockOffset(serverDate: nil, newToken: token, after: token, sentAt: now, receivedAt: now) == .none)
    }
}
