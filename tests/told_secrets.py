"""Sixty sentences that give a secret away: ten phrasings in each of six languages, and two more.

The secrets are drawn at run time, so that none stands in the tree.
"""

from __future__ import annotations

from random import Random
from string import ascii_letters, digits
from typing import NamedTuple

PHRASINGS = {
    "English": """
        The staging password is {}.
        The wiki says password: {} for the intranet
        Log in as deploy with password {} on the bastion
        {} is the password of the build server
        The database password was changed to {} on Monday
        The admin password is "{}", tell nobody
        Credentials for the wiki: admin / {}
        The API key of the mailer is {}
        DB_PASSWORD={} belongs in the env file of the worker
        Run mysql -u root -p{} shop to look at the orders
    """,
    "German": """
        Das Passwort für den Staging-Server ist {}.
        Im Wiki steht Kennwort: {} für das Intranet
        Melde dich als deploy mit dem Passwort {} an
        {} ist das Passwort des Build-Servers
        Das Datenbankpasswort wurde geändert auf {} am Montag
        Das Admin-Passwort lautet "{}", sag es niemandem
        Zugangsdaten für das Wiki: admin / {}
        Der API-Schlüssel des Mailers ist {}
        Das Passwort lautet jetzt {} und gilt bis Mai
        Starte redis-cli -a {} und sieh nach
    """,
    "Spanish": """
        La contraseña del servidor de pruebas es {}.
        En la wiki dice contraseña: {} para la intranet
        Entra como deploy con la contraseña {} en el bastión
        {} es la contraseña del servidor de compilación
        La contraseña de la base cambió a {} el lunes
        La contraseña de administrador es "{}", no la digas
        Credenciales de la wiki: admin / {}
        La clave de API del correo es {}
        La clave ahora es {} para todos los turnos
        Ejecuta sshpass -p {} ssh bastion para entrar
    """,
    "French": """
        Le mot de passe du serveur de test est {}.
        Le wiki dit mot de passe : {} pour l'intranet
        Connecte-toi comme deploy avec le mot de passe {} au bastion
        {} est le mot de passe du serveur de build
        Le mot de passe de la base a été changé en {} lundi
        Le mot de passe admin est "{}", ne le dis pas
        Identifiants du wiki : admin / {}
        La clé API du courrier est {}
        Le mot de passe est maintenant {} pour tous
        Lance curl -u admin:{} https://intranet pour voir
    """,
    "Russian": """
        Пароль от тестового сервера — {}.
        В вики написано пароль: {} для интранета
        Войди как deploy под паролем {} на бастион
        {} — это пароль сервера сборки
        Пароль базы изменили на {} в понедельник
        Пароль администратора это "{}", никому не говори
        Учётные данные вики: admin / {}
        API-ключ почты это {}
        Пароль теперь {} для всех смен
        Запусти openssl enc -k {} чтобы посмотреть
    """,
    "Chinese": """
        测试服务器的密码是{}。
        维基上写着密码：{}，用于内网
        用 deploy 登录，密码 {} 在堡垒机上
        {}是构建服务器的密码
        数据库密码改成了{}，周一生效
        管理员密码是"{}"，不要告诉别人
        维基的凭据：admin / {}
        邮件服务的API密钥是{}，请保密
        密码现在是{}，所有班次通用
        运行 docker login -u ci -p {} 再看
    """,
    "Japanese and Portuguese": """
        テストサーバーのパスワードは{}です。
        パスワード：{}（社内用）
        パスワードを{}に変更しました
        A senha do servidor de testes é {}.
        No wiki está senha: {} para a intranet
        A senha do banco foi alterada para {} na segunda
    """,
}


class Told(NamedTuple):
    """A sentence and the secret that it gives away."""

    language: str
    text: str
    secret: str


def told(seed: int) -> list[Told]:
    """Every sentence with a secret of its own."""
    rng = Random(seed)
    lines = [
        (language, line.strip())
        for language, block in PHRASINGS.items()
        for line in block.strip().splitlines()
    ]
    found = []
    for language, line in lines:
        secret = _secret(rng)
        found.append(Told(language, line.replace("{}", secret), secret))
    return found


def _secret(rng: Random) -> str:
    """Letters of both cases and digits, as a password manager makes them."""
    signs = [rng.choice(ascii_letters + digits) for _ in range(14)]
    for at in rng.sample(range(1, 13), 4):
        signs[at] = rng.choice(digits)
    return rng.choice("GKRTWX") + "".join(signs) + rng.choice("bdgkqz")
