import Foundation
import IdentityKit

@testable import IdentityLocalServers

extension URLRequest {
    /// A request with a form or a JSON document as its body.
    init(
        _ method: String, _ url: URL, headers: [String: String] = [:], form: [(String, String)]? = nil,
        json: JSONValue? = nil
    ) throws {
        self.init(url: url)
        httpMethod = method
        if let form {
            setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            httpBody = Data(LocalRequest.encodeForm(form.map { (name: $0.0, value: $0.1) }).utf8)
        } else if let json {
            setValue("application/json", forHTTPHeaderField: "Content-Type")
            httpBody = try JSONEncoder().encode(json)
        }
        for (name, value) in headers { setValue(value, forHTTPHeaderField: name) }
    }
}
