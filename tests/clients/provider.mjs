// An OpenID Connect provider, oidc-provider, and a browser in which a person signs in there.
//
// Arguments: the folder of the package, a port, the redirect URI of the client, and its address after signing out. It
// writes "ready", and for each line of its input, which is an address and a person's name, where the browser ends.

import { generateKeyPairSync } from "node:crypto";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, port, redirectUri, afterwards] = process.argv.slice(2);
const entry = `${folder}/node_modules/oidc-provider/lib/index.js`;
const { default: Provider } = await import(pathToFileURL(entry).href);

const issuer = `http://127.0.0.1:${port}`;
const key = generateKeyPairSync("rsa", { modulusLength: 2048 });

// A person is known by a name; what follows a plus changes their claims.
function claimsOf(name) {
    return {
        sub: name,
        name: `${name} of the company`,
        email: `${name.split("+")[0]}@example.org`,
        email_verified: !name.includes("+unverified"),
        groups: name.includes("+moderator") ? ["all", "moderators"] : ["all"],
    };
}

const provider = new Provider(issuer, {
    clients: [
        {
            client_id: "chat",
            client_secret: "a secret, with: signs & spaces",
            redirect_uris: [redirectUri],
            post_logout_redirect_uris: [afterwards],
        },
    ],
    jwks: { keys: [{ ...key.privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "1" }] },
    cookies: { keys: ["of this test"] },
    claims: {
        openid: ["sub"],
        profile: ["name"],
        email: ["email", "email_verified"],
        groups: ["groups"],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => claimsOf(id) }),
    // People are not asked whether the chat may know who they are.
    loadExistingGrant: async (ctx) => {
        const grant = new ctx.oidc.provider.Grant({
            clientId: ctx.oidc.client.clientId,
            accountId: ctx.oidc.session.accountId,
        });
        grant.addOIDCScope("openid profile email groups");
        await grant.save();
        return grant;
    },
});

// The form of the provider: the browser says who its person is in a header.
provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith("/interaction/")) {
        return next();
    }
    const accountId = ctx.get("x-person");
    await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId } });
    ctx.respond = false;
});

// Follows redirects with cookies, as a browser without a person's session, until they leave the provider.
async function visit(address, person) {
    const cookies = new Map();
    let url = address;
    for (let step = 0; step < 10 && url.startsWith(issuer); step += 1) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const answer = await fetch(url, { redirect: "manual", headers: { cookie, "x-person": person } });
        for (const set of answer.headers.getSetCookie()) {
            const [, name, value] = /^([^=]+)=([^;]*)/.exec(set);
            cookies.set(name, value);
        }
        const location = answer.headers.get("location");
        if (location === null) {
            return `${answer.status} ${(await answer.text()).replace(/\s+/g, " ").slice(0, 500)}`;
        }
        url = new URL(location, url).href;
    }
    return url;
}

provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
for await (const line of createInterface({ input: process.stdin })) {
    const [address, person] = line.split(" ");
    console.log(await visit(address, person));
}
process.exit(0);
