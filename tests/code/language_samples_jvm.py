"""Small projects in Java, Kotlin and Scala."""

from __future__ import annotations

from language_tools import Sample

JAVA = Sample(
    files={
        "java/store/Store.java": """
            package shop.store;

            import java.util.List;
            import shop.model.Order;
            import shop.model.*;

            /** Keeps orders. */
            public class Store extends Base implements Keeper<Order> {
                private final List<Order> orders;
                private static final int LIMIT = 10;

                public Store(List<Order> orders) {
                    this.orders = orders;
                }

                @Override
                public Order find(int id) {
                    for (Order order : orders) {
                        order.total();
                    }
                    reset();
                    super.reset();
                    return this.find("x", id);
                }

                Order find(String name, int id) {
                    return orders.get(id);
                }

                enum State { OPEN, DONE; boolean isOpen() { return this == OPEN; } }
            }
        """,
        "java/store/Base.java": """
            package shop.store;

            abstract class Base {
                protected void reset() {}
            }
        """,
        "java/store/Keeper.java": """
            package shop.store;

            public interface Keeper<T> {
                T find(int id);
            }
        """,
        "java/model/Order.java": """
            package shop.model;

            public record Order(int id, Line line) {
                public int total() { return line.price(); }
                public static Order of(int id) { return new Order(id, new Line()); }
            }
        """,
        "java/model/Line.java": """
            package shop.model;

            public class Line {
                public int price() { return 1; }
            }
        """,
        "java/Main.java": """
            package shop;

            import shop.model.Order;
            import shop.store.Store;

            public class Main {
                private Store store = new Store(null);

                public static void main(String[] args) {
                    var store = new Store(null);
                    Order order = store.find(1);
                    order.total();
                    Order.of(2).total();
                    ((Order) pick()).total();
                    System.out.println(order);
                    unknown(order);
                }

                void again() { store.find("a", 2); }
            }
        """,
    },
    definitions="""
        java/store/Store.java:8 class Store
        java/store/Store.java:12 method Store.Store
        java/store/Store.java:16 method Store.find
        java/store/Store.java:26 method Store.find#2
        java/store/Store.java:30 type Store.State
        java/store/Store.java:30 method Store.State.isOpen
        java/store/Store.java:9 variable Store.orders
        java/store/Keeper.java:3 type Keeper
        java/model/Order.java:3 class Order
        java/model/Order.java:3 variable Order.line
    """,
    edges="""
        java/store/Store.java Store inherits java/store/Base.java Base
        java/store/Store.java Store inherits java/store/Keeper.java Keeper
        java/store/Store.java Store.find calls java/model/Order.java Order.total
        java/store/Store.java Store.find calls java/store/Base.java Base.reset
        java/store/Store.java Store.find calls java/store/Store.java Store.find#2
        java/model/Order.java Order.total calls java/model/Line.java Line.price
        java/model/Order.java Order.of calls java/model/Order.java Order
        java/model/Order.java Order.of calls java/model/Line.java Line
        java/Main.java Main calls java/store/Store.java Store.Store
        java/Main.java Main.main calls java/store/Store.java Store.Store
        java/Main.java Main.main calls java/store/Store.java Store.find
        java/Main.java Main.main calls java/model/Order.java Order.total
        java/Main.java Main.main calls java/model/Order.java Order.of
        java/Main.java Main.again calls java/store/Store.java Store.find#2
    """,
    unresolved="""
        java/Main.java unknown
        java/Main.java System.out.println
        java/store/Store.java orders.get
    """,
    docs={"Store": "Keeps orders."},
)

KOTLIN = Sample(
    files={
        "src/shop/Store.kt": """
            package shop

            import shop.model.Order
            import shop.model.Line as Row
            import kotlin.math.*

            interface Keeper {
                fun size(): Int
            }

            open class Base {
                open fun reset() {}
            }

            /** Keeps orders. */
            class Store(private val name: String, val first: Order) : Base(), Keeper {
                private val orders: MutableList<Order> = mutableListOf()
                lateinit var row: Row

                override fun size(): Int = orders.size

                fun add(order: Order) {
                    order.total()
                    first.total()
                    reset()
                    this.size()
                    row?.price()
                    for (one in orders) {
                        one.total()
                    }
                }

                companion object {
                    fun make(): Store = Store("x", Order(1))
                }
            }

            typealias Shop = Store

            fun Store.report(): Int {
                return size()
            }
        """,
        "src/shop/model/Order.kt": """
            package shop.model

            data class Order(val id: Int) {
                fun total(): Int {
                    return Line().price()
                }
            }

            class Line {
                fun price() = 1
            }

            object Prices {
                const val LOW = 1
                fun low(): Int = LOW
            }
        """,
        "src/shop/Main.kt": """
            package shop

            import shop.model.Order
            import shop.model.Prices

            fun main() {
                val store = Store.make()
                store.add(Order(2))
                store.report()
                val other: Store? = null
                other?.size()
                Prices.low()
                unknown(store)
                store.first.total()
            }
        """,
    },
    definitions="""
        src/shop/Store.kt:7 type Keeper
        src/shop/Store.kt:16 class Store
        src/shop/Store.kt:20 method Store.size
        src/shop/Store.kt:22 method Store.add
        src/shop/Store.kt:34 method Store.make
        src/shop/Store.kt:38 type Shop
        src/shop/Store.kt:40 method Store.report
        src/shop/Store.kt:17 variable Store.orders
        src/shop/Store.kt:16 variable Store.first
        src/shop/model/Order.kt:13 class Prices
        src/shop/model/Order.kt:14 variable Prices.LOW
    """,
    edges="""
        src/shop/Store.kt Store inherits src/shop/Store.kt Base
        src/shop/Store.kt Store inherits src/shop/Store.kt Keeper
        src/shop/Store.kt Shop inherits src/shop/Store.kt Store
        src/shop/Store.kt Store calls src/shop/Store.kt Base
        src/shop/Store.kt Store.add calls src/shop/model/Order.kt Order.total
        src/shop/Store.kt Store.add calls src/shop/model/Order.kt Line.price
        src/shop/Store.kt Store.add calls src/shop/Store.kt Base.reset
        src/shop/Store.kt Store.add calls src/shop/Store.kt Store.size
        src/shop/Store.kt Store.make calls src/shop/Store.kt Store
        src/shop/Store.kt Store.make calls src/shop/model/Order.kt Order
        src/shop/Store.kt Store.report calls src/shop/Store.kt Store.size
        src/shop/model/Order.kt Order.total calls src/shop/model/Order.kt Line
        src/shop/model/Order.kt Order.total calls src/shop/model/Order.kt Line.price
        src/shop/Main.kt main calls src/shop/Store.kt Store.make
        src/shop/Main.kt main calls src/shop/Store.kt Store.add
        src/shop/Main.kt main calls src/shop/Store.kt Store.report
        src/shop/Main.kt main calls src/shop/Store.kt Store.size
        src/shop/Main.kt main calls src/shop/model/Order.kt Order
        src/shop/Main.kt main calls src/shop/model/Order.kt Order.total
        src/shop/Main.kt main calls src/shop/model/Order.kt Prices.low
    """,
    unresolved="""
        src/shop/Main.kt unknown
        src/shop/Store.kt mutableListOf
    """,
    docs={"Store": "Keeps orders."},
)

SCALA = Sample(
    files={
        "src/shop/Store.scala": """
            package shop

            import shop.model.{Line => Row, Order}
            import scala.util._

            trait Keeper {
              def size: Int
            }

            abstract class Base {
              def reset(): Unit = {}
            }

            /** Keeps orders. */
            class Store(name: String, val first: Order) extends Base with Keeper {
              private val orders: List[Order] = Nil
              var row = new Row

              def size: Int = orders.length

              def add(order: Order): Unit = {
                order.total()
                first.total()
                reset()
                this.report
                row.price()
                for (one <- orders) one.total()
              }

              def report: Int = size
            }

            object Store {
              def make(): Store = new Store("x", new Order(1))
            }
        """,
        "src/shop/model/Order.scala": """
            package shop.model

            case class Order(id: Int) {
              def total(): Int = new Line().price()
            }

            class Line {
              def price(): Int = 1
            }
        """,
        "src/shop/Main.scala": """
            package shop

            import shop.model._

            object Main extends App {
              type Shop = Store

              def run(): Unit = {
                val store = Store.make()
                store.add(Order(2))
                store.first.total()
                unknown(store)
              }
            }
        """,
    },
    definitions="""
        src/shop/Store.scala:6 type Keeper
        src/shop/Store.scala:7 method Keeper.size
        src/shop/Store.scala:15 class Store
        src/shop/Store.scala:19 method Store.size
        src/shop/Store.scala:21 method Store.add
        src/shop/Store.scala:33 class Store#2
        src/shop/Store.scala:16 variable Store.orders
        src/shop/Store.scala:15 variable Store.first
        src/shop/Main.scala:6 type Main.Shop
    """,
    edges="""
        src/shop/Store.scala Store inherits src/shop/Store.scala Base
        src/shop/Store.scala Store inherits src/shop/Store.scala Keeper
        src/shop/Store.scala Store calls src/shop/model/Order.scala Line
        src/shop/Store.scala Store.add calls src/shop/model/Order.scala Order.total
        src/shop/Store.scala Store.add calls src/shop/model/Order.scala Line.price
        src/shop/Store.scala Store.add calls src/shop/Store.scala Base.reset
        src/shop/Store.scala Store.add calls src/shop/Store.scala Store.report
        src/shop/Store.scala Store.report calls src/shop/Store.scala Store.size
        src/shop/Store.scala Store#2.make calls src/shop/Store.scala Store
        src/shop/Store.scala Store#2.make calls src/shop/Store.scala Store#2
        src/shop/Store.scala Store#2.make calls src/shop/model/Order.scala Order
        src/shop/model/Order.scala Order.total calls src/shop/model/Order.scala Line
        src/shop/model/Order.scala Order.total calls src/shop/model/Order.scala Line.price
        src/shop/Main.scala Main.run calls src/shop/Store.scala Store#2.make
        src/shop/Main.scala Main.run calls src/shop/Store.scala Store.add
        src/shop/Main.scala Main.run calls src/shop/model/Order.scala Order
        src/shop/Main.scala Main.run calls src/shop/model/Order.scala Order.total
    """,
    unresolved="""
        src/shop/Main.scala unknown
    """,
    docs={"Store": "Keeps orders."},
)

SAMPLES = {"java": JAVA, "kotlin": KOTLIN, "scala": SCALA}
