package quickstart;

import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizeRequest;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.authentication.OAuth2AuthenticationToken;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.util.HtmlUtils;

@RestController
class Pages {
  private final OAuth2AuthorizedClientManager tokens;
  private final int port;

  Pages(OAuth2AuthorizedClientManager tokens, @Value("${server.port}") int port) {
    this.tokens = tokens;
    this.port = port;
  }

  /** Uses the account of the token. */
  @GetMapping("/api/orders")
  Map<String, Object> orders(@AuthenticationPrincipal Jwt token) {
    List<String> permissions = token.getClaimAsStringList("permissions");
    return Map.of("account", token.getClaimAsString("account_id"), "permissions", permissions);
  }

  @GetMapping(path = "/", produces = "text/html")
  String home(
      @AuthenticationPrincipal OidcUser user,
      OAuth2AuthenticationToken authentication,
      CsrfToken csrf) {
    if (user == null) return "<a href='/oauth2/authorization/tenantry'>Sign in</a>";
    // The access token of this user and account; requests a new one if it has expired
    var request = OAuth2AuthorizeRequest.withClientRegistrationId("tenantry").principal(authentication).build();
    var token = tokens.authorize(request).getAccessToken().getTokenValue();
    var answer =
        RestClient.create()
            .get()
            .uri("http://localhost:" + port + "/api/orders")
            .headers(headers -> headers.setBearerAuth(token))
            .retrieve()
            .toEntity(String.class);
    return """
        <p>Signed in as <b id="email">%s</b>
        <p>Account <b id="account">%s</b>, membership %s
        <p>API: <span id="api">%d %s</span>
        <form method="post" action="/logout"><input type="hidden" name="%s" value="%s"><button>Sign out</button></form>
        """
        .formatted(
            HtmlUtils.htmlEscape(user.getEmail()),
            user.getClaimAsString("account_id"),
            user.getClaimAsString("membership_id"), // key your own records by it
            answer.getStatusCode().value(),
            HtmlUtils.htmlEscape(answer.getBody()),
            csrf.getParameterName(),
            csrf.getToken());
  }
}
