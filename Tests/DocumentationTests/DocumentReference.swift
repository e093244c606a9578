@testable import IdentityKit

/// What a document has beside the settings of its types, as the JSON Schema has it.
struct DocumentReference: Sendable, Equatable {
    /// Where the settings stand.
    enum Part: Sendable, CaseIterable {
        /// In the document, or in each of its profiles.
        case configuration
        /// In each of a configuration's `providers`.
        case provider
        /// In a document with several configurations.
        case profiles
    }

    let part: Part
    let settings: [SettingsReference.Setting]
    /// A complete document.
    let example: JSONValue
}

extension ProviderRegistry {
    /// The references of what stands beside the settings of the types.
    var documentReferences: [DocumentReference] {
        let schemas = documentSchemas
        return DocumentReference.Part.allCases.map { part in
            switch part {
            case .configuration:
                DocumentReference(part, schemas.configuration, IdentityConfiguration.self) { $0 }
            case .provider:
                DocumentReference(part, schemas.provider, ProviderConfiguration.self) { ["providers": [$0]] }
            case .profiles:
                DocumentReference(part, schemas.profiles, ConfigurationDocument.Profiles.self) { $0 }
            }
        }
    }
}

extension DocumentReference {
    fileprivate init(
        _ part: Part, _ schema: JSONValue, _ type: any Decodable.Type, document: (JSONValue) -> JSONValue
    ) {
        let descriptions = SchemaTracer.descriptions(of: type)
        self.init(
            part: part, settings: schema.rows(descriptions), example: document(schema.example(with: descriptions)))
    }
}
