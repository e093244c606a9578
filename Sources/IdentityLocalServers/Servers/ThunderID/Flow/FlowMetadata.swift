import IdentityKit

extension ThunderIDCall {
    private static let systemLanguage = "en-US"

    /// `GET /flow/meta`: the texts and settings with which a user interface presents a flow
    /// (Backends/ThunderID.md#flow-metadata).
    func flowMetadata() throws -> LocalResponse {
        let query = request.queryValue
        var members: [String: JSONValue] = [
            "isRegistrationFlowEnabled": false, "isRecoveryFlowEnabled": false,
            "design": ["theme": [:], "layout": [:]],
            "i18n": translations(language: query("language"), namespace: query("namespace")),
        ]
        switch (query("type") ?? "", query("id") ?? "") {
        case ("", ""):
            break
        case ("", _):
            throw ThunderIDServerError.api(status: 400, .metadataTypeMissing)
        case (_, ""):
            throw ThunderIDServerError.api(status: 400, .metadataIdentifierMissing)
        case ("APP", let id):
            guard let application = backend.application(id: id) else {
                throw ThunderIDServerError.api(status: 404, .metadataApplicationUnknown)
            }
            members["isRegistrationFlowEnabled"] = .bool(application.isRegistrationEnabled)
            members["isRecoveryFlowEnabled"] = .bool(application.isRecoveryEnabled)
            members["application"] = description(of: application)
            members["ou"] = Self.organizationUnit
        case ("OU", PersonSchema.organizationUnitID):
            members["ou"] = Self.organizationUnit
        case ("OU", _):
            throw ThunderIDServerError.api(status: 404, .metadataOrganizationUnitUnknown)
        default:
            throw ThunderIDServerError.api(status: 400, .metadataTypeInvalid)
        }
        return .json(.object(members))
    }

    private func description(of application: LocalThunderIDServer.Application) -> JSONValue {
        let texts = [
            "id": application.id, "name": application.name, "description": application.description,
            "logoUrl": application.logoURL, "url": application.url, "tosUri": application.termsURL,
            "policyUri": application.policyURL,
        ]
        return .object(texts.compactMapValues { $0.map(JSONValue.string) })
    }

    private static let organizationUnit: JSONValue = [
        "id": .string(PersonSchema.organizationUnitID), "handle": "default", "name": "Default",
        "description": "Default organization unit",
        "logoUrl": "avatar:shape=rounded,variant=anonymous_entity,content=pavilion,colors=0",
    ]

    private func translations(language: String?, namespace: String?) -> JSONValue {
        let texts = FlowTranslations.english.filter { namespace == nil || $0.key == namespace }
        return [
            "languages": [.string(Self.systemLanguage)],
            "language": .string(language ?? Self.systemLanguage),
            "totalResults": .integer(Int64(texts.values.map(\.count).reduce(0, +))),
            "translations": .object(texts.mapValues { .object($0.mapValues(JSONValue.string)) }),
        ]
    }
}

extension APIError {
    private static func metadata(_ code: String, _ name: String, _ description: String) -> APIError {
        APIError(code, key: "error.flowmetaservice." + name, "Invalid request", description)
    }

    fileprivate static let metadataTypeInvalid = metadata("FM-1001", "invalid_request", "The type is not APP or OU")
    fileprivate static let metadataApplicationUnknown = metadata(
        "FM-1002", "resource_not_found", "There is no such application")
    fileprivate static let metadataOrganizationUnitUnknown = metadata(
        "FM-1003", "ou_not_found", "There is no such organization unit")
    fileprivate static let metadataTypeMissing = metadata("FM-1004", "missing_required_parameter", "An id needs a type")
    fileprivate static let metadataIdentifierMissing = metadata("FM-1005", "missing_id_parameter", "A type needs an id")
}
