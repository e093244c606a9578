import IdentityKit
import IdentityOAuth

final class FlowTextsAPI: Sendable {
    private struct Key: Hashable, Sendable {
        let applicationID: String?
        let language: String?
    }

    private let server: ServerAPI
    private let known = Locked<[Key: FlowTexts]>([:])
    private let flights = Coalescer<Key, FlowTexts>()

    init(server: ServerAPI) {
        self.server = server
    }

    /// Returns the texts of an application, or of the server itself if `applicationID` is `nil`. They are fetched once
    /// for each application and language. Without a language, the server chooses it.
    /// - Throws: ``IAMError``, or `CancellationError`.
    func texts(applicationID: String?, language: String?) async throws -> FlowTexts {
        let key = Key(applicationID: applicationID, language: language)
        if let texts = known.withLock({ $0[key] }) { return texts }
        return try await flights.value(for: key) { [server, known] in
            var query: [FormField] = []
            if let applicationID {
                query += [FormField("type", "APP"), FormField("id", applicationID)]
            }
            if let language { query.append(FormField("language", language)) }
            let document: [String: JSONValue] = try await server.get("flow/meta", query: query)
            let texts = FlowTexts(document: document)
            known.withLock { $0[key] = texts }
            return texts
        }
    }

    /// Returns the texts for the labels of a response; empty if the response refers to no texts, or if they cannot be
    /// fetched. A sign-in must not fail because of a label.
    func texts(for response: FlowResponse, applicationID: String?, language: String?) async -> FlowTexts {
        guard response.needsTexts else { return FlowTexts() }
        return (try? await texts(applicationID: applicationID, language: language)) ?? FlowTexts()
    }

    /// Returns `step` in another language; unchanged if the texts cannot be fetched, or the step needs none.
    func translated(_ step: EmbeddedFlowResponse, language: String?) async -> EmbeddedFlowResponse {
        guard let origin = step.origin, origin.response.needsTexts,
            let texts = try? await texts(applicationID: origin.applicationID, language: language)
        else { return step }
        return EmbeddedFlowResponse(
            origin.response, texts: texts, applicationID: origin.applicationID,
            concernsPassword: origin.concernsPassword, sentFields: origin.sentFields,
            isOfAuthorization: origin.isOfAuthorization)
    }
}

extension FlowResponse {
    /// Whether the response refers to texts that have to be fetched.
    fileprivate var needsTexts: Bool {
        FlowLayout.hasTemplates(data.meta) || error != nil || data.fieldErrors != nil
    }
}
