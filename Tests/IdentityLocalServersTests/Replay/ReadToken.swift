import IdentityKit
import Testing

@testable import IdentityLocalServers

/// A JWT taken apart, unchecked.
enum ReadToken {
    static func header(_ token: String) -> JSONValue? { SignedMessage(token)?.header }

    static func claims(_ token: String) -> JSONValue? { SignedMessage(token)?.claims }
}

func header(of token: JSONValue?) throws -> JSONValue { try #require(token?.stringValue.flatMap(ReadToken.header)) }

func claims(of token: JSONValue?) throws -> JSONValue { try #require(token?.stringValue.flatMap(ReadToken.claims)) }
