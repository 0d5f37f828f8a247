"""Ready warnings for commands that are hard to take back; a person switches them on."""

from __future__ import annotations

from dataclasses import dataclass

from loremap.model.memory import Memory

TAG = "guard"


@dataclass(frozen=True, slots=True)
class Pack:
    """One warning, and the commands at which it speaks up."""

    name: str
    text: str
    commands: tuple[str, ...]


PACKS = (
    Pack(
        "force-push",
        "A forced push overwrites what others have pushed. Check the branch and what would be lost "
        "first.",
        ("git push --force", "git push --mirror"),
    ),
    Pack(
        "force-with-lease",
        "A push with --force-with-lease still rewrites a branch that others may have. Check that "
        "nobody else works on it.",
        ("git push --force-with-lease",),
    ),
    Pack(
        "recursive-delete",
        "A recursive delete cannot be undone. List what would go and check the path first.",
        ("rm -r", "find -delete", "git clean -f", "Remove-Item -Recurse"),
    ),
    Pack(
        "drop-tables",
        "Dropping or emptying tables destroys data. Check which database this is and that there is "
        "a backup.",
        (
            *("drop table", "drop database", "drop schema", "truncate table", "dropdb"),
            *("rails db:drop", "rails db:reset", "rake db:drop", "prisma migrate reset"),
            *("manage.py flush", "mysqladmin drop"),
        ),
    ),
    Pack(
        "deploy",
        "This may change what runs in production. Check the target environment and that the user "
        "asked for it.",
        (
            *("terraform apply", "terraform destroy", "pulumi up", "cdk deploy", "kubectl apply"),
            *("kubectl delete", "helm upgrade", "helm uninstall", "serverless deploy"),
            *("vercel --prod", "netlify deploy --prod", "fly deploy", "firebase deploy"),
            *("gcloud app deploy", "gcloud run deploy", "wrangler deploy", "eb deploy"),
            *("git push heroku", "npm run deploy", "make deploy"),
        ),
    ),
    Pack(
        "publish",
        "A published version cannot be taken back. Check the version, the contents and that the "
        "user asked for it.",
        (
            *("npm publish", "pnpm publish", "yarn publish", "yarn npm publish", "cargo publish"),
            *("twine upload", "poetry publish", "uv publish", "hatch publish", "gem push"),
            *("docker push", "gh release create", "mvn deploy", "gradle publish"),
            *("gradlew publish", "dotnet nuget push", "helm push", "vsce publish"),
        ),
    ),
)
BY_NAME = {pack.name: pack for pack in PACKS}


def is_of_pack(memory: Memory) -> bool:
    """Whether a memory is a pack's warning: it speaks when its command is about to run, and takes
    no room in what every session begins with unless it is pinned."""
    return TAG in memory.tags and bool(memory.triggers) and not memory.pinned
