import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID flow initiation", .stopsServers)
struct ThunderIDFlowInitiationTests {
    typealias Application = LocalThunderIDServer.Application

    @Test(
        "Input values must be strings; whatever else has the wrong type is refused too",
        arguments: [
            #"{"inputs": {"age": 7}}"#, #"{"inputs": {"agreed": true}}"#, #"{"inputs": {"tags": ["a"]}}"#,
            #"{"inputs": {"tags": {}}}"#,
            #"{"inputs": "x"}"#, #"{"applicationId": 1}"#, #"{"verbose": "yes"}"#, "[]", "not json", "",
        ])
    func undecodable(body: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await visitor.send("POST", "/flow/execute", body: Data(body.utf8))
        #expect(answer.status == 400 && answer["code"] == "FES-1001")
        #expect(answer["message"]?["key"] == "error.flowexecservice.invalid_request_payload")
    }

    @Test("A null input is an empty string, and unknown members are ignored")
    func lenientDecoding() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await visitor.flow([
            "applicationId": .string(visitor.server.application.id), "flowType": "AUTHENTICATION",
            "inputs": ["username": nil], "color": ["blue"],
        ])
        #expect(answer.identifiers == ["password"])
    }

    @Test(
        "Flow types are exact words",
        arguments: [("authentication", "FES-1005"), ("", "FES-1005"), ("PASSWORD_RECOVERY", "FES-1005")])
    func flowTypes(type: String, code: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await visitor.flow([
            "applicationId": .string(visitor.server.application.id), "flowType": .string(type),
        ])
        #expect(answer.status == 400)
        #expect(answer["code"]?.stringValue == code)
    }

    struct GuardCase: Sendable, CustomTestStringConvertible {
        var application: Application
        var headers: [String: String] = [:]
        var status: Int
        var code: String?
        var testDescription: String { "\(application.type) \(headers) \(code ?? "allowed")" }

        init(
            _ type: Application.Kind, _ attestation: Application.Attestation = .unconfigured,
            grants: Set<Application.GrantType> = [.authorizationCode], headers: [String: String] = [:], status: Int,
            code: String?
        ) {
            application = Application(
                type: type, attestation: attestation, flowSecret: "flow-secret", grantTypes: grants)
            (self.headers, self.status, self.code) = (headers, status, code)
        }
    }

    static let guardTable: [GuardCase] = [
        GuardCase(.browser, status: 403, code: "FES-1010"),
        GuardCase(.m2m, grants: [], status: 403, code: "FES-1010"),
        GuardCase(.mobile, .developmentMode, status: 200, code: nil),
        GuardCase(.mobile, .unconfigured, status: 400, code: "FES-1016"),
        GuardCase(.mobile, .platform(accepting: "genuine"), status: 401, code: "FES-1014"),
        GuardCase(
            .mobile, .platform(accepting: "genuine"), headers: ["Attestation-Token": "forged"], status: 401,
            code: "FES-1015"),
        GuardCase(
            .mobile, .platform(accepting: "genuine"), headers: ["Attestation-Token": "genuine"], status: 200, code: nil),
        GuardCase(.mobile, .brokenPlatform, headers: ["Attestation-Token": "genuine"], status: 500, code: "SSE-5000"),
        GuardCase(.fullstack, status: 403, code: "FES-1010"),
        GuardCase(.custom, grants: [.clientCredentials], status: 403, code: "FES-1010"),
        GuardCase(.fullstack, grants: [], status: 401, code: "FES-1011"),
        GuardCase(.mcp, grants: [], headers: ["Flow-Secret": "guess"], status: 401, code: "FES-1012"),
        GuardCase(.custom, grants: [], headers: ["Flow-Secret": "flow-secret"], status: 200, code: nil),
        GuardCase(
            .fullstack, grants: [.tokenExchange], headers: ["Flow-Secret": "flow-secret"], status: 200, code: nil),
    ]

    @Test("Who may start a sign-in directly", arguments: guardTable)
    func directInitiation(row: GuardCase) async throws {
        let visitor = try await ThunderIDVisitor.start(.init(application: row.application))
        for type in ["AUTHENTICATION", "SIGNOUT"] {
            let answer = try await visitor.flow(
                ["applicationId": .string(row.application.id), "flowType": .string(type)], headers: row.headers)
            #expect(answer.status == row.status, "\(type)")
            #expect(answer["code"]?.stringValue == row.code, "\(type)")
        }
        let registration = try await visitor.flow([
            "applicationId": .string(row.application.id), "flowType": "REGISTRATION",
        ])
        #expect(registration.status == 200, "registration is never guarded")
    }

    @Test("Registration and recovery can be switched off")
    func disabledFlows() async throws {
        let application = Application(isRegistrationEnabled: false, isRecoveryEnabled: false)
        let visitor = try await ThunderIDVisitor.start(.init(application: application))
        for (type, code) in [("REGISTRATION", "FES-1006"), ("RECOVERY", "FES-1009")] {
            let answer = try await visitor.flow([
                "applicationId": .string(application.id), "flowType": .string(type),
            ])
            #expect(answer.status == 400)
            #expect(answer["code"]?.stringValue == code)
        }
    }

    @Test(
        "Flow metadata wants a type and an id, or neither",
        arguments: [
            ([("type", "APP")], 400, "FM-1005"), ([("id", "x")], 400, "FM-1004"),
            ([("type", "APP"), ("id", "x")], 404, "FM-1002"), ([("type", "OU"), ("id", "x")], 404, "FM-1003"),
            ([("type", "TEAM"), ("id", "x")], 400, "FM-1001"),
        ] as [([(String, String)], Int, String)])
    func metadataErrors(query: [(String, String)], status: Int, code: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await visitor.get("/flow/meta", query: query)
        #expect(answer.status == status)
        #expect(answer["code"]?.stringValue == code)
        let bare = try await visitor.get("/flow/meta")
        #expect(bare["application"] == nil)
        #expect(bare["i18n"]?["translations"]?["signin"]?["forms.credentials.title"] == "Sign In")
    }
}
